import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Period } from '../lib/day-periods.ts'
import { chartTexts } from '../messages/charts/texts.ts'
import { pressKey } from './chart-keys.ts'
import type { Course } from './course.ts'
import { strokeOf } from './course.ts'
import type { Limit } from './limit-handle.tsx'
import { LimitHandle } from './limit-handle.tsx'
import { type PlotProps, usePlot } from './use-plot.ts'

interface Props extends PlotProps {
  label: string
  shownPeriod(period: Period): string
  onZoomOut?: (() => void) | undefined
  /** A line across the chart that may be moved. */
  limit?: Limit | undefined
}

/** Values over time: looked through and zoomed by pointer and keys. */
export function SeriesChart(props: Props) {
  const { label, course, shown, shownPeriod, onZoom, onZoomOut, limit } = props
  const texts = chartTexts.value
  const { element, plot, at, limitTop } = usePlot(props)
  const anchor = useSignal<number | undefined>(undefined)
  const hint = useId()
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    if (pressKey({ plot, at, course, anchor, onZoom, onZoomOut }, event)) event.preventDefault()
  }
  const [first, last] = [anchor.value, at.value].sort((a, b) => (a ?? 0) - (b ?? 0))
  const chosen =
    anchor.value === undefined
      ? []
      : [course.periods[first ?? -1] ?? [], course.periods[last ?? -1] ?? []].flat()
  return (
    <div class="body series">
      <div class="plot-box">
        <div
          ref={element}
          class="plot"
          role="application"
          tabIndex={0}
          aria-label={label}
          aria-describedby={onZoom === undefined ? undefined : hint}
          onKeyDown={onKeyDown}
        />
        {limit !== undefined && (
          <LimitHandle
            limit={limit}
            top={limitTop.value}
            valueAt={(y) => plot.current?.posToVal(y - plot.current.over.getBoundingClientRect().top, 'y')}
          />
        )}
      </div>
      {onZoom !== undefined && (
        <p id={hint} class="vh">
          {texts.keys}
        </p>
      )}
      <p class="readout" role="status">
        {chosen[0] !== undefined && chosen[1] !== undefined ? (
          texts.chosen(shownPeriod(chosen[0]), shownPeriod(chosen[1]))
        ) : (
          <Readout course={course} at={at.value} shown={shown} shownPeriod={shownPeriod} />
        )}
      </p>
    </div>
  )
}

interface ReadoutProps extends Pick<Props, 'course' | 'shown' | 'shownPeriod'> {
  at: number | undefined
}

/** The values that are pointed at. */
function Readout({ course: { periods, lines }, at, shown, shownPeriod }: ReadoutProps) {
  const period = at === undefined ? undefined : periods[at]
  if (at === undefined || period === undefined) return <>{'\u00a0'}</>
  const textOf = (value: number | null | undefined): string =>
    value === null || value === undefined ? chartTexts.value.nothing : shown(value)
  return (
    <>
      <b>{shownPeriod(period)}</b>
      {lines.map(({ name, values }, index) => (
        <span key={index} class="cut" dir="auto">
          <LineSign lines={lines} index={index} /> {name}: <b>{textOf(values[at])}</b>
        </span>
      ))}
    </>
  )
}

/** Line sample for the legend of a chart. */
export function LineSign({ lines, index }: { lines: Course['lines']; index: number }) {
  const { colour, width, dash } = strokeOf(lines, index)
  return (
    <svg class="line-sign" width="24" height="4" aria-hidden="true">
      <path
        d="M0 2h24"
        style={{ stroke: colour, strokeWidth: width + 0.5, strokeDasharray: dash.join(' ') }}
      />
    </svg>
  )
}
