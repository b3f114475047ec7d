import { EventEmitter } from 'node:events'

/** Facts that parts announce. Listeners never fail who announces: see `createEventBus`. */
export interface Events {
  /** The run of an import has ended, well or not. */
  'import.completed': { importId: number; state: string }
  /** A load has read all rows of its source; it is not complete yet. */
  'load.read': { rows: number; storeType: string }
  /** A layer was made, or its data were changed. */
  'layer.published': { workspace: string; layer: string; mode: string; rows: number }
  /** A layer is no longer published. */
  'layer.removed': { workspace: string; layer: string }
  /** A run of a source has ended. */
  'source.ended': { source: string; outcome: string }
  /** A request was answered, or aborted by its client. */
  'request.finished': {
    method: string
    /** Pattern of the path, such as `/rest/imports/:importId`; empty for a path that no route takes. */
    route: string
    status: number
    milliseconds: number
    sizeBytes: number
    /** Published layers that the response contains, as `workspace:layer`. */
    layers: readonly string[]
  }
  /** Work that made no progress and ignored its abort signal was killed, or its thread or process died. */
  'work.ended': { kind: 'load' | 'job' }
  /** Work in the background failed by a bug. */
  'exception.caught': { error: unknown; where: string }
}

/** Carries facts from those who announce them to those who listen, within this process and at once. */
export interface EventBus {
  emit<K extends keyof Events>(name: K, fact: Events[K]): void
  /** Returns the function that stops listening. */
  on<K extends keyof Events>(name: K, listener: (fact: Events[K]) => void): () => void
}

/** A bus whose listeners cannot harm who announces: what they throw goes to `onListenerError`. */
export function createEventBus(onListenerError: (error: unknown) => void): EventBus {
  const emitter = new EventEmitter()
  return {
    emit: (name, fact) => {
      emitter.emit(name, fact)
    },
    on: (name, listener) => {
      const guarded = (fact: Events[typeof name]): void => {
        try {
          listener(fact)
        } catch (error) {
          onListenerError(error)
        }
      }
      emitter.on(name, guarded)
      return () => emitter.off(name, guarded)
    },
  }
}
