// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The style sheet of the page: system fonts, light and dark, and paper.
#pragma once

namespace twofold::cli {

inline constexpr const char* html_style = R"css(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5c6570; --paper: #fdfcf9; --panel: #f4f1ea; --edge: #d9d3c7;
  --left: #1f6feb; --left-soft: #dce9fd; --right: #b35900; --right-soft: #fbe8d3; --both: #1a7f4b; --both-soft: #d9f0e3;
  --bad: #b4232f; --bad-soft: #fbdfe1; --unsure: #8a6d00; --unsure-soft: #fbf1cc; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e3dc; --soft: #9aa0a8; --paper: #16181c; --panel: #1f2227; --edge: #363b43;
  --left: #79b0ff; --left-soft: #1b2f4d; --right: #ffb26b; --right-soft: #43301b; --both: #6fd6a0; --both-soft: #183826;
  --bad: #ff8a93; --bad-soft: #4a2226; --unsure: #f0cf60; --unsure-soft: #403716; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
pre, code, .code { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.05rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--edge); }
section.loop + section.loop { margin-top: 4rem; padding-top: 2rem; border-top: 3px double var(--edge); }
p, ul, ol { margin: .5rem 0; } li { margin: .15rem 0; }
.where { color: var(--soft); margin: 0; font-size: .9rem; }
.verdict { display: inline-block; margin: .8rem 0 .2rem; padding: .35rem .8rem; border-radius: 999px; font-weight: 600; }
.verdict.good { background: var(--both-soft); color: var(--both); } .verdict.bad { background: var(--bad-soft); color: var(--bad); }
.verdict.unsure { background: var(--unsure-soft); color: var(--unsure); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1rem 0; padding: 0; list-style: none; }
.facts li { background: var(--panel); border-radius: .6rem; padding: .6rem .8rem; margin: 0; }
.facts b { display: block; font-size: 1.1rem; } .facts span { color: var(--soft); font-size: .85rem; }
pre { background: var(--panel); border-radius: .6rem; padding: .8rem 1rem; overflow-x: auto; margin: .5rem 0; font-size: .9rem; line-height: 1.5; }
pre .n { color: var(--soft); user-select: none; } pre .here { background: var(--unsure-soft); display: inline-block; min-width: 100%; }
.a { color: var(--left); } .b { color: var(--right); }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; font-size: .95rem; } .wide { overflow-x: auto; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: .85rem; }
th, td { padding: .35rem .7rem .35rem 0; border-bottom: 1px solid var(--edge); vertical-align: top; }
.added { color: var(--right); font-size: .8rem; border: 1px solid currentColor; border-radius: 999px; padding: 0 .45rem; }
.yes { color: var(--both); font-weight: 600; } .no { color: var(--bad); font-weight: 600; } .soft { color: var(--soft); }
figure { margin: .8rem 0; overflow-x: auto; } figure svg { display: block; margin: 0 auto; max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .9rem; text-align: center; }
ol.proof { padding-left: 1.6rem; font-size: .93rem; } nav ul { columns: 2; padding-left: 1.1rem; } a { color: var(--left); }
footer { margin-top: 3.5rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--edge); padding-top: .8rem; }
svg text { fill: var(--ink); font-size: 13px; } svg text.label { fill: var(--soft); font-size: 12.5px; } svg text.code { font-size: 12px; }
svg text.operator { font-size: 17px; } svg .cell, svg .card { fill: var(--panel); stroke: var(--edge); }
svg .left { fill: var(--left-soft); stroke: var(--left); } svg .right { fill: var(--right-soft); stroke: var(--right); }
svg .both { fill: var(--both-soft); stroke: var(--both); } svg .wrong { fill: var(--bad-soft); stroke: var(--bad); }
svg .merge { fill: var(--both-soft); stroke: var(--both); stroke-width: 1.5; } svg .link { fill: none; stroke: var(--soft); stroke-width: 1.4; }
svg .left-link { stroke: var(--left); } svg .right-link { stroke: var(--right); } svg .cut { stroke: var(--bad); stroke-dasharray: 4 4; stroke-width: 1.4; }
svg #arrow path { fill: var(--soft); }
@media print { body { max-width: none; padding: 0; } section.loop { break-before: page; } pre, figure { break-inside: avoid; } }
)css";

}  // namespace twofold::cli
