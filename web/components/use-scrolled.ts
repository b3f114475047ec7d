import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Scroll position and visible size of an element. */
export interface Scrolled {
  top: number
  left: number
  height: number
  width: number
}

/** Scroll state of a scrollable element; updated at most once per frame. */
export function useScrolled<E extends HTMLElement>(): { element: RefObject<E | null>; scrolled: Scrolled } {
  const element = useRef<E>(null)
  const [scrolled, see] = useState<Scrolled>({ top: 0, left: 0, height: 0, width: 0 })
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
  return { element, scrolled }
}
