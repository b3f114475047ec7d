import { useEffect } from 'preact/hooks'
import type { Resource } from '../../lib/resource.ts'

const movingMs = 1000
const stillMs = 15_000

/** Loads a value, and again while it is shown: often while a run waits or executes. */
export function useRefreshed(resource: Resource<unknown>, isMoving: boolean): void {
  useEffect(() => {
    void resource.load()
    return () => resource.stop()
  }, [resource])
  useEffect(() => {
    const refresh = (): void => {
      if (!document.hidden) void resource.load()
    }
    const timer = setInterval(refresh, isMoving ? movingMs : stillMs)
    return () => clearInterval(timer)
  }, [resource, isMoving])
}

export function isMovingState(state: string): boolean {
  return state === 'running' || state === 'waiting'
}
