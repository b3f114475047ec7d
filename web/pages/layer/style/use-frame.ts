import { useEffect, useRef, useState } from 'preact/hooks'

/** Returns the value at the last frame: of several changes between two frames the last one is used. */
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
