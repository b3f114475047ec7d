import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Drawn, drawnRows } from '../lib/window-rows.ts'

const maxHeight = 8_000_000
const beyond = 4

interface Seen {
  top: number
  left: number
  height: number
  width: number
}

interface Scroller<E extends HTMLElement> extends Seen {
  element: RefObject<E | null>
  drawn: Drawn
  /** Brings a row in sight. */
  show(row: number): void
}

/** Rows to draw in a scrollable element, below a header of `headHeight`. */
export function useScroller<E extends HTMLElement>(
  rows: number,
  { rowHeight, headHeight }: { rowHeight: number; headHeight: number },
): Scroller<E> {
  const element = useRef<E>(null)
  const [seen, see] = useState<Seen>({ top: 0, left: 0, height: 400, width: 800 })
  useEffect(() => {
    const box = element.current
    if (box === null) return undefined
    let frame = 0
    const look = (): void => {
      frame = 0
      see({ top: box.scrollTop, left: box.scrollLeft, height: box.clientHeight, width: box.clientWidth })
    }
    const soon = (): void => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    const sizes = new ResizeObserver(soon)
    sizes.observe(box)
    box.addEventListener('scroll', soon, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      sizes.disconnect()
      box.removeEventListener('scroll', soon)
    }
  }, [])
  const height = Math.max(rowHeight, seen.height - headHeight)
  const drawn = drawnRows({ rows, rowHeight, scrolled: seen.top, height, beyond, maxHeight })
  const show = (row: number): void => {
    const box = element.current
    if (box === null) return
    const whole = rows * rowHeight
    const top = row * rowHeight
    if (whole > maxHeight) box.scrollTop = (top / (whole - height)) * (maxHeight - height)
    else if (top < box.scrollTop) box.scrollTop = top
    else if (top + rowHeight > box.scrollTop + height) box.scrollTop = top + rowHeight - height
  }
  return { ...seen, element, drawn, show }
}
