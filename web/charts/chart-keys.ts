import type { Signal } from '@preact/signals'
import type { Period } from '../lib/day-periods.ts'
import type { Course } from './course.ts'
import { periodOf, type UsedPlot } from './use-plot.ts'

interface ChartKeyOptions extends Pick<UsedPlot, 'plot' | 'at'> {
  course: Course
  /** Start of the selection; undefined without a selection. */
  anchor: Signal<number | undefined>
  onZoom?: ((period: Period) => void) | undefined
  onZoomOut?: (() => void) | undefined
}

/** Handles a key in a chart; returns true if it has an effect. */
export function pressKey(
  needs: ChartKeyOptions,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
): boolean {
  const { course, at, anchor, onZoom, onZoomOut } = needs
  const last = course.periods.length - 1
  const now = at.peek()
  const moves: Record<string, number> = {
    ArrowLeft: Math.max(0, (now ?? last + 1) - 1),
    ArrowRight: Math.min(last, (now ?? -1) + 1),
    Home: 0,
    End: last,
  }
  const move = moves[key]
  if (move !== undefined) goTo(needs, move, shiftKey)
  else if (key === 'Enter' && now !== undefined) {
    const other = anchor.peek() ?? now
    anchor.value = undefined
    zoomTo(periodOf(course, Math.min(other, now), Math.max(other, now)))
  } else if (key === '+') {
    const quarter = Math.max(1, Math.floor(course.periods.length / 4))
    const middle = now ?? Math.floor(course.periods.length / 2)
    zoomTo(periodOf(course, middle - quarter, middle + quarter - 1))
  } else if (key === '-' || key === 'Escape') onZoomOut?.()
  else return false
  return true

  function zoomTo(period: Period | undefined): void {
    if (period !== undefined) onZoom?.(period)
  }
}

function goTo({ plot, course, at, anchor }: ChartKeyOptions, index: number, isChoosing: boolean): void {
  const drawn = plot.current
  const period = course.periods[index]
  if (drawn === undefined || drawn === null || period === undefined) return
  anchor.value = isChoosing ? (anchor.peek() ?? at.peek() ?? index) : undefined
  drawn.setCursor({ left: drawn.valToPos(period.from / 1000, 'x'), top: 4 })
  at.value = index
  const [left = 0, right = 0] = [anchor.value ?? index, index]
    .map((one) => drawn.valToPos((course.periods[one]?.from ?? 0) / 1000, 'x'))
    .sort((a, b) => a - b)
  drawn.setSelect({ left, top: 0, width: right - left, height: drawn.over.clientHeight }, false)
}
