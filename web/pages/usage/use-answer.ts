import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Resource } from '../../lib/resource.ts'

/**
 * Something asked of the server as long as it is shown, anew when `key` changes. What was answered stays until then where
 * `subject` is the same: time goes on, and nobody has chosen anything else.
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
