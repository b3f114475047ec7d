import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Kysely } from 'kysely'
import type { FileSettings } from '../core/config/file-settings.ts'
import type { Database } from '../core/db/connection.ts'
import type { Tables } from '../core/db/tables.ts'
import type { FileStore } from '../core/file-store/file-store.ts'
import type { Logger } from '../core/log/logger.ts'
import { listNodes } from '../core/nodes/nodes.ts'

/** Name of the row in `settings`. */
const filesIdSetting = 'files-id'
/** Name of the file with the id, in the folder that all servers of a catalogue share. */
const filesIdName = 'files.id'

/** The place that the servers of a catalogue share files in. */
export interface FileArea {
  /** Describes it with its setting: "The data directory /srv/terrane (TERRANE_DATA)". */
  description: string
  /** Says how servers share it. */
  advice: string
  /** Returns the id that was written to it; undefined if there is none. */
  readId(): Promise<string | undefined>
  /** Writes the id unless there is one. Returns the id that is there now. */
  writeId(id: string): Promise<string>
  /** Says what of the catalogue is in it; undefined if nothing is. */
  findContent(database: Database): Promise<string | undefined>
}

/** The data directory as the shared place of files. */
function folderArea(root: string): FileArea {
  const path = join(root, filesIdName)
  const read = (): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined)
  return {
    description: `The data directory ${root} (TERRANE_DATA)`,
    advice:
      'Set TERRANE_DATA to the shared file system that the other servers use. If the data directory was lost, restore it from a backup, or run `terrane nodes adopt-files`: files of layers and uploads that are not in this directory are then missing',
    readId: async () => read(),
    writeId: async (id) => {
      const proposal = `${path}.${randomUUID()}`
      try {
        writeFileSync(proposal, `${id}\n`, { flush: true })
        // The file is complete before it has its name, and the first of two servers wins.
        linkSync(proposal, path)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      } finally {
        rmSync(proposal, { force: true })
      }
      return read() ?? id
    },
    findContent: findStoreFiles,
  }
}

/** A bucket as the shared place of files. Callers of `writeId` hold the lock of the database. */
function bucketArea(store: FileStore, location: string): FileArea {
  const read = async (): Promise<string | undefined> => {
    if ((await store.findSize(filesIdName)) === undefined) return undefined
    return (await text(await store.get(filesIdName))).trim()
  }
  return {
    description: `The bucket ${location} (TERRANE_FILES)`,
    advice:
      'Set TERRANE_FILES to the bucket and prefix that the other servers use. If its objects were lost, restore them from a backup, or run `terrane nodes adopt-files`: files of imports and downloads that are not in this bucket are then missing',
    readId: read,
    writeId: async (id) => {
      await store.put(filesIdName, Readable.from([Buffer.from(`${id}\n`)], { objectMode: false }))
      return (await read()) ?? id
    },
    findContent: findStoredFiles,
  }
}

/** Returns the place that servers share files in: the bucket of the settings, or else the data directory. */
export function fileArea({ s3 }: FileSettings, store: FileStore, root: string): FileArea {
  return s3 === undefined ? folderArea(root) : bucketArea(store, `s3://${s3.bucket}/${s3.prefix}`)
}

/**
 * Makes sure that this server has the files of the catalogue: the random id in the file area equals the one in the
 * database. An embedded catalogue lies with its files and needs no check. A server that is alone may have another
 * area while the catalogue names no files, such as a container whose disk is new at each start. Throws an `Error`
 * that names the setting and what to do.
 */
export async function requireSharedFiles(database: Database, area: FileArea, log: Logger): Promise<void> {
  if (database.kind === 'sqlite') return
  await database.alone(async () => {
    const stored = await findFilesId(database.kysely)
    const present = await area.readId()
    if (stored !== undefined && stored === present) return
    const loss = stored === undefined ? undefined : await findLoss(database, area)
    if (loss !== undefined) throw new Error(otherFilesText(area, present, loss))
    if (stored !== undefined)
      log.warn(`${area.description} is used for the files of the catalogue from now on`)
    await storeFilesId(database.kysely, present ?? (await area.writeId(randomUUID())))
  })
}

/** Returns what would be missing with another file area; undefined if nothing would. */
async function findLoss(database: Database, area: FileArea): Promise<string | undefined> {
  const server = (await listNodes(database)).find(({ isAlive }) => isAlive)
  if (server !== undefined)
    return `the server on ${server.host} (process ${server.pid}) uses others. If it was killed, wait 15 seconds`
  return area.findContent(database)
}

async function findStoredFiles(database: Database): Promise<string | undefined> {
  const { count } = await database.kysely
    .selectFrom('files')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'ready')
    .executeTakeFirstOrThrow()
  return Number(count) === 0 ? undefined : `${count} files of the catalogue are there`
}

async function findStoreFiles(database: Database): Promise<string | undefined> {
  const { count } = await database.kysely
    .selectFrom('stores')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('parameters', 'like', '%"path"%')
    .executeTakeFirstOrThrow()
  return Number(count) === 0 ? undefined : `${count} stores of the catalogue have files there`
}

function otherFilesText(
  { description, advice }: FileArea,
  present: string | undefined,
  loss: string,
): string {
  const found =
    present === undefined
      ? `it has no file ${filesIdName} with the id of the catalogue`
      : 'it belongs to another catalogue'
  return `${description} does not hold the files of the catalogue of TERRANE_DATABASE_URL: ${found}, and ${loss}. ${advice}`
}

/** Makes the files of an area those of the catalogue. */
export async function adoptFiles(database: Database, area: FileArea): Promise<void> {
  await database.alone(async () => {
    const id = (await area.readId()) ?? (await area.writeId(randomUUID()))
    await storeFilesId(database.kysely, id)
  })
}

async function findFilesId(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', filesIdSetting)
    .executeTakeFirst()
  return row?.value
}

async function storeFilesId(db: Kysely<Tables>, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: filesIdSetting, value })
    .onConflict((conflicting) => conflicting.column('name').doUpdateSet({ value }))
    .execute()
}
