import { EventEmitter } from 'node:events'
import type { QueryExecutorProvider } from 'kysely'

/** Events by name. Errors of listeners never reach the emitter: see `createEventBus`. */
export interface Events {
  /** The run of an import has ended, successfully or not. */
  'import.completed': { importId: number; state: string }
  /** A load has read all rows of its source; it is not complete yet. */
  'load.read': { rows: number; storeType: string }
  /** A layer was created, or its data were changed. */
  'layer.published': { workspace: string; layer: string; mode: string; rows: number }
  /** A layer is no longer published. */
  'layer.removed': { workspace: string; layer: string }
  /** A run of a source has ended. */
  'source.ended': { source: string; outcome: string }
  /** A request was answered, or aborted by its client. */
  'request.finished': {
    method: string
    /** Pattern of the path, such as `/rest/imports/:importId`; empty if no route matches. */
    route: string
    status: number
    milliseconds: number
    sizeBytes: number
    /** Published layers that the response contains, as `workspace:layer`. */
    layers: readonly string[]
  }
  /** Work that made no progress and ignored its abort signal was killed, or its thread or process died. */
  'work.ended': { kind: 'load' | 'job' }
  /** Heavy work of a request has ended. `client`: the kind of account to which its time is charged. */
  'heavy-work.ended': { client: 'address' | 'user'; seconds: number }
  /** A request was refused, since its client has used up the time for heavy work. */
  'heavy-work.refused': { client: 'address' | 'user' }
  /** Background work failed because of a bug. */
  'exception.caught': { error: unknown; where: string }
}

/** Events that other servers of the catalogue receive too. */
type SharedName = 'layer.published' | 'layer.removed' | 'import.completed'
/** A fact with its name, as other servers receive it. */
export type SharedFact = { [K in SharedName]: { name: K; fact: Events[K] } }[SharedName]

/** A connection or transaction of the catalogue; `Queryable` of src/core/db is one. */
type FactTransaction = QueryExecutorProvider

/** Records facts for other servers. */
export interface FactRecorder {
  record(db: FactTransaction, fact: SharedFact): Promise<void>
}

/** Passes events from emitters to listeners of this process, synchronously. */
export interface EventBus {
  emit<K extends keyof Events>(name: K, fact: Events[K]): void
  /**
   * Records a fact in the transaction of its change, for the other servers; call `emit` after the commit. Does
   * nothing with an embedded catalogue.
   */
  record(db: FactTransaction, fact: SharedFact): Promise<void>
  /** Registers a listener for events of this server. Returns a function that removes it. */
  on<K extends keyof Events>(name: K, listener: (fact: Events[K]) => void): () => void
  /**
   * Registers a listener for events of all servers, for caches that each server has. Returns a function that
   * removes it.
   */
  onEveryServer<K extends SharedName>(name: K, listener: (fact: Events[K]) => void): () => void
  /** Delivers an event of another server. */
  receive(fact: SharedFact): void
  /** Sets the recorder of events. */
  setRecorder(recorder: FactRecorder): void
}

const others = 'other server: '

/** Creates a bus. Errors of listeners go to `onListenerError` instead of the emitter. */
export function createEventBus(onListenerError: (error: unknown) => void): EventBus {
  const emitter = new EventEmitter()
  let recorder: FactRecorder | undefined
  const listen = <F>(names: readonly string[], listener: (fact: F) => void): (() => void) => {
    const guarded = (fact: F): void => {
      try {
        listener(fact)
      } catch (error) {
        onListenerError(error)
      }
    }
    for (const name of names) emitter.on(name, guarded)
    return () => {
      for (const name of names) emitter.off(name, guarded)
    }
  }
  return {
    emit: (name, fact) => {
      emitter.emit(name, fact)
    },
    record: async (db, fact) => recorder?.record(db, fact),
    on: (name, listener) => listen([name], listener),
    onEveryServer: (name, listener) => listen([name, others + name], listener),
    receive: ({ name, fact }) => {
      emitter.emit(others + name, fact)
    },
    setRecorder: (next) => {
      recorder = next
    },
  }
}
