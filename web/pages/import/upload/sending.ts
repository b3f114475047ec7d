import { computed, signal } from '@preact/signals'
import { call } from '../../../api/client.ts'
import { session } from '../../../session/session.ts'
import type { Chosen } from './chosen-files.ts'
import { fileSets, folderOfPart } from './file-sets.ts'
import { SentFile } from './sent-file.ts'
import type { UploadResponse } from './tus.ts'

const atOnce = 3

/**
 * Uploads, including complete ones whose import was not created yet. They continue while the reader uses
 * other pages.
 */
export class Sending {
  readonly files = signal<readonly SentFile[]>([])
  /** True if all files of the last selection were accepted. */
  readonly chosen = signal<Pick<Chosen, 'isCut' | 'unread'>>({ isCut: false, unread: [] })
  readonly isMoving = computed(() => this.files.value.some(({ state }) => isMoving(state.value)))
  #running = 0
  #finding: Promise<unknown> = Promise.resolve()

  /** Finds what is on the server. */
  find(aborted: AbortSignal): Promise<void> {
    const finding = this.#find(aborted)
    this.#finding = finding.catch(() => undefined)
    return finding
  }

  async #find(aborted: AbortSignal): Promise<void> {
    const { uploads } = await call<{ uploads: UploadResponse[] }>({ path: '/rest/uploads' }, aborted)
    const known = new Set(this.files.peek().map(({ id }) => id))
    const found = uploads.filter(({ id }) => !known.has(id)).map((one) => SentFile.found(one))
    const there = new Set(uploads.map(({ id }) => id))
    // An upload that the server no longer has, and this page does not have either, is lost.
    const kept = this.files.peek().filter((one) => !one.isFromBefore || there.has(one.id ?? ''))
    this.files.value = [...kept, ...found]
  }

  /** Uploads the selected files; resumes those of which the server has a part. */
  async add({ files, ...chosen }: Chosen): Promise<void> {
    // Waits for the list of existing uploads, which are resumed instead of repeated.
    await this.#finding
    this.chosen.value = chosen
    const byPath = new Map(this.files.peek().map((one) => [one.path, one]))
    const gone = new Set<SentFile>()
    const added: SentFile[] = []
    const sets = fileSets(this.files.peek())
    for (const { file, folder } of files) {
      const one = { file, folder: folderOfPart({ name: file.name, folder }, sets) }
      const path = one.folder === '' ? one.file.name : `${one.folder}/${one.file.name}`
      const known = byPath.get(path)
      if (known?.isSame(one) === true) known.take(one)
      else {
        if (known !== undefined) gone.add(known)
        const made = SentFile.of(one)
        byPath.set(path, made)
        added.push(made)
      }
    }
    for (const one of gone) void one.remove()
    this.files.value = [
      ...this.files.peek().filter((one) => !gone.has(one)),
      ...added.filter((one) => !gone.has(one)),
    ]
    this.#fill()
  }

  goOn(files: readonly SentFile[]): void {
    for (const one of files) one.goOn()
    this.#fill()
  }

  /** Cancels the upload of files. */
  async remove(files: readonly SentFile[]): Promise<void> {
    this.forget(files)
    for (const one of files) await one.remove()
  }

  /** They belong to an import now. */
  forget(files: readonly SentFile[]): void {
    const gone = new Set(files)
    this.files.value = this.files.peek().filter((one) => !gone.has(one))
  }

  #fill(): void {
    while (this.#running < atOnce) {
      const next = this.files.peek().find(({ state }) => state.peek() === 'waiting')
      if (next === undefined) return
      this.#running += 1
      void next.send().finally(() => {
        this.#running -= 1
        this.#fill()
      })
    }
  }
}

function isMoving(state: string): boolean {
  return state === 'waiting' || state === 'sending' || state === 'trying'
}

let current = new Sending()
let owner: string | undefined

/** The files of who is signed in. */
export function sendingOfUser(): Sending {
  const user = session.peek()?.user
  if (owner !== undefined && user !== undefined && user !== owner) {
    for (const one of current.files.peek()) one.pause()
    current = new Sending()
  }
  owner = user ?? owner
  return current
}
