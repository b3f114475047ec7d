import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Drawn } from '../lib/window-rows.ts'
import { drawnRows } from '../lib/window-rows.ts'

const maxHeight = 8_000_000
const beyond = 3

interface Seen {
  top: number
  height: number
  width: number
}

/** Rows to draw of a list in a scrolling page, and the width of the list. */
export function useWindow<E extends HTMLElement>(
  rowsOf: (width: number) => number,
  rowHeight: number,
): { element: RefObject<E | null>; drawn: Drawn; width: number } {
  const element = useRef<E>(null)
  const [seen, see] = useState<Seen>({ top: 0, height: innerHeight, width: 0 })
  useEffect(() => {
    let frame = 0
    const look = (): void => {
      frame = 0
      const box = element.current?.getBoundingClientRect()
      if (box === undefined) return
      const next = { top: -box.top, height: innerHeight, width: box.width }
      see((now) =>
        now.width === next.width && now.height === next.height && Math.abs(now.top - next.top) < rowHeight / 2
          ? now
          : next,
      )
    }
    const soon = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    const sizes = new ResizeObserver(soon)
    if (element.current !== null) sizes.observe(element.current)
    addEventListener('scroll', soon, { passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      removeEventListener('scroll', soon)
      removeEventListener('resize', soon)
    }
  }, [rowHeight])
  const rows = rowsOf(seen.width)
  const drawn = drawnRows({ rows, rowHeight, scrolled: seen.top, height: seen.height, beyond, maxHeight })
  return { element, drawn, width: seen.width }
}
