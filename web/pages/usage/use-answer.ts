import { useEffect, useMemo } from 'preact/hooks'
import { Resource } from '../../lib/resource.ts'

/** Something asked of the server as long as it is shown, anew when `key` changes. */
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const resource = useMemo(() => new Resource(ask), [key])
  useEffect(() => {
    void resource.load()
    return () => resource.stop()
  }, [resource])
  return resource
}
