import { type Signal, signal } from '@preact/signals'
import { call, NoAnswer, Refusal } from '../../../api/client.ts'
import type { ChosenFile } from './chosen-files.ts'
import { beginUpload, sendPiece, type UploadResponse } from './tus.ts'

/**
 * State of a file: `waiting` in the queue, `sending`, `paused`, `trying` again without a response, complete
 * (`done`), `refused`, or `absent`: the server has a part, and this page does not have the file.
 */
export type SentState = 'waiting' | 'sending' | 'paused' | 'trying' | 'done' | 'refused' | 'absent'

const pieceBytes = 16 * 1024 * 1024
const firstWaitMs = 500
const maxWaitMs = 5000
const rateOverMs = 1500

/** The file cannot be read any more: it was changed or removed since it was chosen. */
export class Unreadable extends Error {}

/** A file on its way to the server. */
export class SentFile {
  readonly name: string
  readonly folder: string
  readonly size: number
  readonly state: Signal<SentState>
  readonly sent: Signal<number>
  /** Bytes a second, lately. */
  readonly rate = signal(0)
  readonly error = signal<unknown>(undefined)
  #file: File | undefined
  #modified: string | undefined
  #id: string | undefined
  #sending: AbortController | undefined
  #lately: { at: number; sent: number } | undefined

  private constructor(known: { name: string; folder: string; size: number; sent: number; state: SentState }) {
    this.name = known.name
    this.folder = known.folder
    this.size = known.size
    this.sent = signal(known.sent)
    this.state = signal(known.state)
  }

  /** Creates the upload of a selected file. */
  static of({ file, folder }: ChosenFile): SentFile {
    const made = new SentFile({ name: file.name, folder, size: file.size, sent: 0, state: 'waiting' })
    made.#file = file
    made.#modified = new Date(file.lastModified).toISOString()
    return made
  }

  /** Creates the object of an upload that the server already has. */
  static found({ id, name, folder = '', modified, offset, length }: UploadResponse): SentFile {
    const state = offset === length ? 'done' : 'absent'
    const made = new SentFile({ name, folder, size: length, sent: offset, state })
    made.#id = id
    made.#modified = modified
    return made
  }

  get path(): string {
    return this.folder === '' ? this.name : `${this.folder}/${this.name}`
  }

  /** Id of its upload, once it has begun. */
  get id(): string | undefined {
    return this.#id
  }

  /** True if an earlier page began the upload. */
  get isFromBefore(): boolean {
    return this.#file === undefined
  }

  /** True if a selected file is this one, by size and modification time. */
  isSame({ file }: ChosenFile): boolean {
    const modified = new Date(file.lastModified).toISOString()
    return file.size === this.size && (this.#modified === undefined || this.#modified === modified)
  }

  /** Supplies the file again: the upload resumes. */
  take({ file }: ChosenFile): void {
    this.#file = file
    this.error.value = undefined
    if (this.state.peek() !== 'done') this.state.value = 'waiting'
  }

  pause(): void {
    if (this.state.peek() === 'done' || this.#file === undefined) return
    this.state.value = 'paused'
    this.#sending?.abort()
  }

  goOn(): void {
    if (this.#file === undefined || this.state.peek() === 'done') return
    this.error.value = undefined
    this.state.value = 'waiting'
  }

  /** Cancels the upload, here and on the server. */
  async remove(): Promise<void> {
    this.#sending?.abort()
    this.state.value = 'paused'
    if (this.#id === undefined) return
    for (let tries = 0; tries < 5; tries += 1) {
      try {
        await call({ method: 'DELETE', path: `/rest/uploads/${this.#id}` })
        return
      } catch (error) {
        // The piece that was stopped just now may not have ended there yet.
        if (!(error instanceof Refusal) || error.code !== 'upload-busy') return
        await pause(firstWaitMs)
      }
    }
  }

  /** Sends until all is there, it is paused, or the server refuses it. */
  async send(): Promise<void> {
    const file = this.#file
    if (file === undefined || this.state.peek() !== 'waiting') return
    const sending = new AbortController()
    this.#sending = sending
    this.state.value = 'sending'
    for (let tries = 0; !sending.signal.aborted; tries += 1) {
      try {
        await this.#sendAll(file, sending.signal, () => {
          tries = 0
        })
        this.state.value = 'done'
        return
      } catch (error) {
        if (sending.signal.aborted) return
        if (!(await this.#isPassing(error, file))) {
          this.state.value = 'refused'
          return
        }
        await pause(Math.min(maxWaitMs, firstWaitMs * 2 ** tries))
      } finally {
        this.rate.value = 0
        this.#lately = undefined
      }
    }
  }

  async #sendAll(file: File, signal: AbortSignal, onMoved: () => void): Promise<void> {
    this.#id ??= await beginUpload(file, this.folder, signal)
    const id = this.#id
    // Also asks the reader to sign in if the session has ended.
    const { upload } = await call<{ upload: UploadResponse }>({ path: `/rest/uploads/${id}` }, signal)
    this.state.value = 'sending'
    this.error.value = undefined
    this.sent.value = upload.offset
    for (let offset = upload.offset; offset < file.size; ) {
      const body = file.slice(offset, offset + pieceBytes)
      const begin = offset
      await sendPiece(id, { offset, body }, (bytes) => this.#tell(begin + Math.min(bytes, body.size)), signal)
      offset += body.size
      this.#tell(offset)
      onMoved()
    }
  }

  #tell(sent: number): void {
    const at = performance.now()
    this.sent.value = sent
    this.#lately ??= { at, sent }
    const ms = at - this.#lately.at
    if (ms < rateOverMs) return
    this.rate.value = ((sent - this.#lately.sent) * 1000) / ms
    this.#lately = { at, sent }
  }

  /** Returns true if the upload will be retried; otherwise records the error. */
  async #isPassing(error: unknown, file: File): Promise<boolean> {
    this.error.value = error
    if (error instanceof NoAnswer) {
      const isReadable = await file
        .slice(0, 1)
        .arrayBuffer()
        .then(
          () => true,
          () => false,
        )
      if (!isReadable) this.error.value = new Unreadable()
      this.state.value = 'trying'
      return isReadable
    }
    if (!(error instanceof Refusal)) return false
    if (error.code === 'unknown-upload') this.#id = undefined
    const passing = ['unknown-upload', 'upload-busy', 'wrong-offset', 'upload-broken']
    const isHeard = passing.includes(error.code) || error.status === 401 || error.status >= 500
    if (isHeard) this.state.value = 'trying'
    return isHeard
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
