import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type uPlot from 'uplot'
import type { Period } from '../lib/day-periods.ts'
import { isDark } from '../map/theme.ts'
import type { Course } from './course.ts'
import { plotCourse } from './plot.ts'
import { savePicture } from './save-chart.ts'

export interface PlotProps {
  course: Course
  /** Values on the axis and in words. */
  shown(value: number): string
  shownTick(seconds: number, stepSeconds: number): string
  onZoom?(period: Period): void
  limit?: { value: number } | undefined
  /** Gets what saves the chart as a picture. */
  picture?: { save?: (title: string) => void }
}

/** A chart that is drawn into an element as long as that is there. */
export interface UsedPlot {
  element: RefObject<HTMLDivElement | null>
  plot: RefObject<uPlot | undefined>
  /** The index that is pointed at. */
  at: Signal<number | undefined>
  /** Position of the line across the chart, from its upper edge. */
  limitTop: Signal<number | undefined>
}

export function usePlot(props: PlotProps): UsedPlot {
  const { course, limit } = props
  const element = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const at = useSignal<number | undefined>(undefined)
  const limitTop = useSignal<number | undefined>(undefined)
  const dark = isDark.value
  useEffect(() => {
    const box = element.current
    if (box === null) return
    const drawn = plotCourse(box, course, {
      shown: (value) => latest.current.shown(value),
      shownTick: (seconds, step) => latest.current.shownTick(seconds, step),
      limit: () => latest.current.limit?.value,
      onSelect: (first, last) => {
        const period = periodOf(course, first, last)
        if (period !== undefined) latest.current.onZoom?.(period)
      },
      onCursor: (index) => {
        at.value = index
      },
      onDrawn: (one) => {
        const value = latest.current.limit?.value
        limitTop.value = value === undefined ? undefined : one.valToPos(value, 'y') + one.over.offsetTop
      },
    })
    plot.current = drawn
    const { picture } = latest.current
    if (picture !== undefined) picture.save = (title) => saveDrawn(title, drawn)
    const stopFitting = fit(drawn, box)
    return () => {
      stopFitting()
      drawn.destroy()
      plot.current = undefined
    }
  }, [course, dark])
  // The axis goes as far as the line.
  useEffect(() => plot.current?.setData(plot.current.data, true), [limit?.value])
  return { element, plot, at, limitTop }
}

const minWidth = 200

function fit(drawn: uPlot, box: HTMLElement): () => void {
  const sizes = new ResizeObserver(() => {
    const width = Math.max(minWidth, box.clientWidth)
    const height = box.clientHeight
    if (width !== drawn.width || height !== drawn.height) drawn.setSize({ width, height })
  })
  sizes.observe(box)
  return () => sizes.disconnect()
}

/** Returns the period from the start of one period to the end of another; undefined if there are none. */
export function periodOf({ periods }: Course, first: number, last: number): Period | undefined {
  const [begin, end] = [periods[Math.max(0, first)], periods[Math.min(last, periods.length - 1)]]
  return begin && end && { from: begin.from, to: end.to }
}

function saveDrawn(title: string, { ctx, width, height }: uPlot): void {
  savePicture(title, { width, height }, (context) => context.drawImage(ctx.canvas, 0, 0, width, height))
}
