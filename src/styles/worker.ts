// Entry point for worker threads: default style names, value summaries, drawn symbols. Must not import
// readers or writers of style languages. Start reading at `evaluate.ts`.

export {
  type ClassifyMethod,
  classifyMethods,
  type SummaryValue,
  ValueSummarizer,
  type ValueSummary,
} from './classify/summary.ts'
export { defaultStyleName, defaultStyles } from './default-styles.ts'
export { marks } from './draw/marks.ts'
export { markSvg, pathSvg } from './draw/paint.ts'
export { svgElement, svgNumber } from './draw/svg-text.ts'
export { drawnSymbols, isInScale, passOf } from './evaluate.ts'
