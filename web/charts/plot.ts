import uPlot from 'uplot'
import type { Course } from './course.ts'
import { colourOf, strokeOf } from './course.ts'

export interface PlotOptions {
  /** Values on the axis. */
  shown(value: number): string
  /** A moment on the axis; `stepSeconds` is how far apart they are. */
  shownTick(seconds: number, stepSeconds: number): string
  /** The value of a line across the chart. */
  limit(): number | undefined
  /** Called with the first and the last index of what was drawn over. */
  onSelect(first: number, last: number): void
  /** Called with the index below the pointer. */
  onCursor(index: number | undefined): void
  onDrawn(plot: uPlot): void
}

const fontSize = '11px "Plex Sans", system-ui, sans-serif'
const headroom = 1.1
/** Steps for counts, which have no fractions. */
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat()

/** Draws a course into an element, in the colours that it has there now. */
export function plotCourse(element: HTMLElement, course: Course, needs: PlotOptions): uPlot {
  const colour = (role: string): string => colourOf(role, element)
  const axis = {
    stroke: colour('var(--ink-2)'),
    font: fontSize,
    grid: { stroke: colour('var(--line)'), width: 1 },
    ticks: { show: false },
  }
  return new uPlot(
    {
      width: Math.max(200, element.clientWidth),
      height: element.clientHeight,
      legend: { show: false },
      padding: [12, 16, 0, 0],
      cursor: {
        drag: { x: true, y: false, setScale: false },
        y: false,
        points: { size: 8 },
        focus: { prox: -1 },
      },
      scales: {
        x: { time: true },
        y: { range: (_plot, least, most) => rangeOf(least, most, needs.limit()) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 30,
          space: 74,
          values: (_plot, splits, _axis, _space, step) => splits.map((one) => needs.shownTick(one, step)),
        },
        {
          ...axis,
          size: 64,
          // An undefined member would replace the default of the library.
          ...(course.unit === 'Count' && { incrs: wholeSteps }),
          values: (_plot, splits) => splits.map((one) => needs.shown(one)),
        },
      ],
      series: [{}, ...course.lines.map((_line, at) => drawnLine(course, at, colour))],
      hooks: {
        setSelect: [(plot) => tellSelected(plot, needs)],
        setCursor: [(plot) => needs.onCursor(plot.cursor.idx ?? undefined)],
        draw: [
          (plot) => {
            drawLimit(plot, needs.limit(), colour('var(--bad)'))
            needs.onDrawn(plot)
          },
        ],
      },
    },
    dataOf(course),
    element,
  )
}

function dataOf({ periods, lines }: Course): uPlot.AlignedData {
  return [periods.map(({ from }) => from / 1000), ...lines.map(({ values }) => [...values])]
}

function drawnLine({ lines, periods }: Course, at: number, colour: (role: string) => string): uPlot.Series {
  const { colour: role, width, dash } = strokeOf(lines, at)
  const isOne = periods.length < 3
  return {
    stroke: colour(role),
    width,
    dash,
    spanGaps: false,
    // A value between two gaps has no line.
    points: { show: isOne || undefined, size: 5, fill: colour(role) },
    ...(lines[at]?.kind === 'now' && { fill: translucent(colour(role)) }),
  } as uPlot.Series
}

function translucent(colour: string): string {
  return `color-mix(in srgb, ${colour} 12%, transparent)`
}

function rangeOf(least: number | null, most: number | null, limit: number | undefined): uPlot.Range.MinMax {
  const top = Math.max(most ?? 0, limit ?? 0)
  const bottom = Math.min(0, least ?? 0)
  return [bottom, top > bottom ? bottom + (top - bottom) * headroom : bottom + 1]
}

function tellSelected(plot: uPlot, needs: PlotOptions): void {
  const { left, width } = plot.select
  if (width < 2) return
  const [first, last] = [plot.posToIdx(left), plot.posToIdx(left + width)]
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  needs.onSelect(first, last)
}

function drawLimit(plot: uPlot, limit: number | undefined, colour: string): void {
  if (limit === undefined) return
  const { ctx, bbox } = plot
  const y = plot.valToPos(limit, 'y', true)
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = 2 * devicePixelRatio
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.restore()
}
