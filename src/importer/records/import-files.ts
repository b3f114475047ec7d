import type { HeldFolder, Mirror, MirroredFolder } from '../../core/file-store/mirror.ts'
import { changesFolder, type ImportFileKind, rejectsFolder, uploadRoot } from './import-folders.ts'

/** Folders of the files of imports. */
interface FoldersOfImports {
  uploads: string
  rejects: string
  sides: string
}

const kinds: readonly ImportFileKind[] = ['uploads', 'rejects', 'sides']

interface Held {
  users: number
  folders: Promise<HeldFolder[]>
}

/**
 * Files of imports. If servers do not share a disk, uploads, rejected rows and lists of changes are in the
 * file store, and a server that works on an import has local copies of them. Without a mirror the local files
 * are the only ones, and every method only calls its `work`.
 */
export class ImportFiles {
  readonly #folders: FoldersOfImports
  readonly #mirror: Mirror | undefined
  /** Imports that this process writes to. Their local files are newer than the stored ones. */
  readonly #written = new Map<number, Held>()

  constructor(folders: FoldersOfImports, mirror?: Mirror) {
    this.#folders = folders
    this.#mirror = mirror
  }

  /** True if the local files are the only ones. */
  get isLocal(): boolean {
    return this.#mirror === undefined
  }

  /** Calls work with local copies of the files of an import. */
  async reading<T>(importId: number, work: () => Promise<T>): Promise<T> {
    const release = await this.holdForReading(importId)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Makes local copies of the files. They are retained until the returned function is called. */
  async holdForReading(importId: number): Promise<() => void> {
    const mirror = this.#mirror
    if (mirror === undefined) return () => undefined
    if (this.#written.has(importId)) return (await this.#hold(mirror, importId)).release
    const folders = await this.#pull(mirror, importId)
    return () => release(folders)
  }

  /** Calls work that may write files of an import, and stores what it wrote, even if it fails. */
  async writing<T>(importId: number, work: () => Promise<T>): Promise<T> {
    const mirror = this.#mirror
    if (mirror === undefined) return work()
    const held = await this.#hold(mirror, importId)
    try {
      const result = await work()
      await push(held.folders)
      return result
    } catch (error) {
      await push(held.folders).catch(() => undefined)
      throw error
    } finally {
      held.release()
    }
  }

  /** Stores what `writing` has written so far. Call it before a transaction that names the files. */
  async save(importId: number): Promise<void> {
    const held = this.#written.get(importId)
    if (held !== undefined) await push(await held.folders)
  }

  /** Removes the stored files and local copies of one kind. */
  async remove(importId: number, kind: ImportFileKind): Promise<void> {
    await this.#mirror?.remove(this.#mirrored(importId, kind))
  }

  async #hold(mirror: Mirror, importId: number): Promise<{ folders: HeldFolder[]; release(): void }> {
    const held = this.#written.get(importId) ?? { users: 0, folders: this.#pull(mirror, importId) }
    held.users += 1
    this.#written.set(importId, held)
    const end = (): void => {
      held.users -= 1
      if (held.users > 0) return
      this.#written.delete(importId)
      held.folders.then(release, () => undefined)
    }
    try {
      return { folders: await held.folders, release: end }
    } catch (error) {
      end()
      throw error
    }
  }

  async #pull(mirror: Mirror, importId: number): Promise<HeldFolder[]> {
    const folders: HeldFolder[] = []
    try {
      for (const kind of kinds) folders.push(await mirror.hold(this.#mirrored(importId, kind)))
      return folders
    } catch (error) {
      release(folders)
      throw error
    }
  }

  #mirrored(importId: number, kind: ImportFileKind): MirroredFolder {
    const path = { uploads: uploadRoot, rejects: rejectsFolder, sides: changesFolder }[kind](
      this.#folders,
      importId,
    )
    return { folder: `imports/${importId}/${kind}`, path }
  }
}

async function push(folders: readonly HeldFolder[]): Promise<void> {
  for (const folder of folders) await folder.push()
}

function release(folders: readonly HeldFolder[]): void {
  for (const folder of folders) folder.release()
}
