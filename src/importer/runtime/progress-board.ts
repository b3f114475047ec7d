import { EventEmitter } from 'node:events'
import type { FetchProgress } from '../../inputs/index.ts'
import type { ImportNews, NumberedNews, TaskProgress } from '../model/model.ts'

const keptNews = 500
/** Maximum number of finished imports with events in memory. */
const keptImports = 200

interface Watched {
  news: NumberedNews[]
  loads: Map<number, TaskProgress>
  fetch?: FetchProgress
}

/** In-memory progress of running loads, and the latest events of each import. */
export class ProgressBoard {
  readonly #imports = new Map<number, Watched>()
  readonly #emitter = new EventEmitter().setMaxListeners(0)
  #nextId: number
  #onReport: (importId: number, news: NumberedNews) => void = () => undefined

  /** Event ids start at `firstId`, so that they never repeat after a restart. */
  constructor(firstId: number) {
    this.#nextId = firstId
  }

  tell(importId: number, news: ImportNews): void {
    const numbered = { id: this.#nextId, news }
    this.#nextId += 1
    this.receive(importId, numbered)
    this.#onReport(importId, numbered)
  }

  /** Handles an event from another process. */
  receive(importId: number, numbered: NumberedNews): void {
    const watched = this.#watched(importId)
    const { news } = numbered
    if (news.type === 'progress') watched.loads.set(news.taskId, news.progress)
    if (news.type === 'fetch') watched.fetch = news.progress
    if (news.type === 'import' && news.state !== 'INIT') delete watched.fetch
    if (news.type === 'task' && news.state !== 'RUNNING') watched.loads.delete(news.taskId)
    watched.news.push(numbered)
    if (watched.news.length > keptNews) watched.news.splice(0, watched.news.length - keptNews)
    this.#emitter.emit(String(importId), numbered)
  }

  /** Registers a listener for the events of this process. */
  onReport(listener: (importId: number, news: NumberedNews) => void): void {
    this.#onReport = listener
  }

  progressOf(importId: number, taskId: number): TaskProgress | undefined {
    return this.#imports.get(importId)?.loads.get(taskId)
  }

  /** Returns the progress of fetching the remote data of an import. */
  fetchOf(importId: number): FetchProgress | undefined {
    return this.#imports.get(importId)?.fetch
  }

  endFetch(importId: number): void {
    delete this.#imports.get(importId)?.fetch
  }

  /** Each process numbers its own events, so ids of one import do not always ascend. */
  newsSince(importId: number, id: number): NumberedNews[] {
    const news = this.#imports.get(importId)?.news ?? []
    const index = news.findLastIndex((one) => one.id === id)
    return index < 0 ? news.filter((one) => one.id > id) : news.slice(index + 1)
  }

  /** Registers a listener and returns a function that removes it. */
  listen(importId: number, listener: (news: NumberedNews) => void): () => void {
    this.#emitter.on(String(importId), listener)
    return () => this.#emitter.off(String(importId), listener)
  }

  forget(importId: number): void {
    this.#imports.delete(importId)
  }

  #watched(importId: number): Watched {
    const known = this.#imports.get(importId)
    if (known !== undefined) return known
    const watched: Watched = { news: [], loads: new Map() }
    this.#imports.set(importId, watched)
    for (const [id, { loads }] of this.#imports) {
      if (this.#imports.size <= keptImports) break
      if (loads.size === 0 && id !== importId) this.#imports.delete(id)
    }
    return watched
  }
}
