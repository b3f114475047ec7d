import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A field with the server's value, unless the reader is typing in it. */
export function useKeptText(kept: string): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const { current } = field
    if (current !== null && current !== document.activeElement) current.value = kept
  }, [kept])
  return field
}
