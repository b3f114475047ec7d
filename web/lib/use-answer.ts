import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Resource } from './resource.ts'

/**
 * A value from the server while it is shown, reloaded when `key` changes. The previous value stays visible
 * during the load if `subject` is the same: only time has passed.
 */
export function useAnswer<T>(
  key: string,
  ask: (signal: AbortSignal) => Promise<T>,
  subject = key,
): Resource<T> {
  const latest = useRef(ask)
  latest.current = ask
  const resource = useMemo(() => new Resource((signal: AbortSignal) => latest.current(signal)), [subject])
  useEffect(() => {
    void resource.load()
    return () => resource.stop()
  }, [resource, key])
  return resource
}
