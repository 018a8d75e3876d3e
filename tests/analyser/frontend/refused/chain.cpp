struct node {
  double v;
  node* next;
};
double f(node* p) {
  double s = 0;
  while (p) {
    s += p->v;
    p = p->next;
  }
  return s;
}
