import { useEffect, useRef, useState } from 'preact/hooks'

/** The value as it was at the last frame: of many changes between two frames the last one counts. */
export function useFrame<T>(value: T): T {
  const [shown, show] = useState(value)
  const latest = useRef(value)
  latest.current = value
  useEffect(() => {
    const frame = requestAnimationFrame(() => show(() => latest.current))
    return () => cancelAnimationFrame(frame)
  }, [value])
  return shown
}
