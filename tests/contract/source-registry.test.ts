import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'
import { describe, it } from 'node:test'
import { Failure } from '../../src/core/errors/errors.ts'
import { FormatError } from '../../src/formats/format.ts'
import { extractArchive, findArchive } from '../../src/inputs/archive.ts'
import type { ArchiveKind } from '../../src/inputs/archives/archive-kind.ts'
import { archives } from '../../src/inputs/archives/registry.ts'
import type { SourceLimits } from '../../src/inputs/archives/unpacking.ts'
import type { DatabaseConnection, DatabaseReader } from '../../src/inputs/database/database.ts'
import { databaseReaders, findDatabaseReader, findFileReader } from '../../src/inputs/database/registry.ts'
import type { RemoteProtocol } from '../../src/inputs/remote/protocol.ts'
import { findProtocol, remoteProtocols } from '../../src/inputs/remote/registry.ts'
import { scanFolder } from '../../src/inputs/scan.ts'
import { needsGdal } from '../support/gdal-files.ts'
import { endsSoon, leavesNothingOpen } from '../support/open-files.ts'
import { fetchInto, startRawServer } from '../support/remote-fetch.ts'
import { freePort } from '../support/remote-servers.ts'
import { defaultSourceLimits } from '../support/source-limits.ts'
import { temporaryFolder } from '../support/temporary-files.ts'

const fixtures = join(import.meta.dirname, '../fixtures')
/** An archive format may have its example in its own folder. */
const archiveFolders = [
  join(fixtures, 'archives', 'examples'),
  join(import.meta.dirname, '../../src/inputs/archives'),
]
const archiveExamples = archiveFolders.flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
)
const never = new AbortController().signal
const secret = 'not-to-be-told'

async function unpack(
  path: string,
  folder: string,
  { limits = {}, signal = never }: { limits?: Partial<SourceLimits>; signal?: AbortSignal } = {},
): Promise<string[]> {
  await extractArchive(path, folder, { limits: { ...defaultSourceLimits, ...limits }, signal })
  return readdirSync(folder, { recursive: true }).map(String)
}

/** Asserts that an archive is rejected as such, and that no files of it are left. */
async function isRefused(work: (folder: string) => Promise<unknown>, test: TestContext): Promise<void> {
  const folder = join(temporaryFolder(test), 'out')
  await leavesNothingOpen('a refused archive', () =>
    assert.rejects(work(folder), (error) => error instanceof Failure && !existsSync(folder)),
  )
}

function checkArchive({ name, endings }: ArchiveKind): void {
  const path = archiveExamples.find((one) => findArchive(one)?.name === name) ?? ''
  const file = basename(path)

  it('has an example, gives its files and leaves nothing open', async (test) => {
    assert.ok(
      file !== '',
      `put an archive with one of ${endings.join(', ')} into tests/fixtures/archives/examples`,
    )
    const folder = join(temporaryFolder(test), 'out')
    const found = await leavesNothingOpen('unpacking', () => unpack(path, folder))
    assert.ok(found.length > 0)
  })

  it('is held to the limits, and leaves nothing when it is beyond them', async (test) => {
    await isRefused((folder) => unpack(path, folder, { limits: { maxExpandedBytes: 10 } }), test)
    await isRefused((folder) => unpack(path, folder, { limits: { maxEntries: 0 } }), test)
  })

  it('is refused as broken where it is cut short, empty or something else', async (test) => {
    const folder = temporaryFolder(test)
    const whole = readFileSync(path)
    for (const content of [
      whole.subarray(0, whole.length >> 1),
      Buffer.alloc(0),
      Buffer.from('no archive at all'),
    ]) {
      writeFileSync(join(folder, file), content)
      await isRefused((out) => unpack(join(folder, file), out), test)
    }
  })

  it('stops within two seconds when it is told to, and leaves nothing', async (test) => {
    const folder = join(temporaryFolder(test), 'out')
    const abort = new AbortController()
    abort.abort(new Error('told to stop'))
    await leavesNothingOpen('an archive that is told to stop', () =>
      assert.rejects(unpack(path, folder, { signal: abort.signal }), /told to stop/),
    )
    assert.equal(existsSync(folder), false)
  })
}

describe('every kind of archive', () => {
  for (const kind of archives) {
    describe(kind.name, () => {
      it('is known by its endings in any letter case', () => {
        for (const ending of kind.endings) {
          assert.match(ending, /^\.[a-z0-9.]+$/)
          assert.equal(findArchive(`x${ending.toUpperCase()}`), kind)
        }
      })

      if (kind.unpack !== undefined) checkArchive(kind)
      else {
        it('is refused in words', async (test) => {
          const path = join(temporaryFolder(test), `x${kind.endings[0] ?? ''}`)
          writeFileSync(path, 'anything')
          await isRefused((folder) => unpack(path, folder), test)
        })
      }
    })
  }
})

/** Asserts that a database that is a file is described and read like a format. */
async function checkFileDatabase(reader: DatabaseReader, test: TestContext): Promise<void> {
  const large = join(temporaryFolder(test), 'large')
  await unpack(join(fixtures, 'examples', 'large.zip'), large)
  const scanned = await Promise.all(
    [fixtures, large].map((one) => scanFolder(one, { signal: never, maxEntries: 9999 })),
  )
  const file = scanned.flat().find(({ path }) => findFileReader(path.split('.').at(-1) ?? '') === reader)
  assert.ok(file, `put a file with one of ${reader.fileExtensions?.join(', ')} into tests/fixtures`)
  const connection = reader.standardPlace({ type: reader.type, database: file.path })
  const { tables } = await leavesNothingOpen('describing', () =>
    reader.describe(connection, { maxTables: 100, signal: never }),
  )
  const [table] = tables
  assert.ok(table)
  assert.deepEqual(structuredClone(tables), tables)
  const batches = await leavesNothingOpen('reading', () =>
    Array.fromAsync(reader.read(connection, table, { signal: never })),
  )
  for (const { schema } of batches) assert.deepEqual(schema, table.schema)
  const rows = batches.reduce((sum, { rowCount, rejects }) => sum + rowCount + rejects.length, 0)
  if (table.featureCount !== undefined) assert.equal(rows, table.featureCount)
  const missing = { ...connection, database: join(fixtures, 'README.md') }
  await assert.rejects(
    reader.describe(missing, { maxTables: 1, signal: never }),
    (error) => error instanceof Failure || error instanceof FormatError || error instanceof Error,
  )
}

function serverConnection({ type, standardPlace }: DatabaseReader, port: number): DatabaseConnection {
  const place = standardPlace({ type, database: 'x', host: '127.0.0.1', port, user: 'reader' })
  return { ...place, password: secret }
}

describe('every kind of database', needsGdal, () => {
  for (const reader of databaseReaders) {
    describe(reader.type, () => {
      it('is found by each of its names in any letter case', () => {
        for (const name of [reader.type, ...reader.aliases]) {
          assert.equal(findDatabaseReader(name.toUpperCase()), reader)
        }
      })

      if (reader.fileExtensions !== undefined) {
        it('is read as it is described, and leaves nothing open', (test) => checkFileDatabase(reader, test))
        return
      }

      it('wants a user, and says that a server is not there without the secret', async () => {
        assert.throws(() => reader.standardPlace({ type: reader.type, database: 'x' }), Failure)
        const connection = serverConnection(reader, await freePort())
        await leavesNothingOpen('a server that is not there', () =>
          assert.rejects(
            reader.describe(connection, { maxTables: 1, signal: never }),
            (error) => error instanceof Failure && !error.message.includes(secret),
          ),
        )
      })

      it('ends within two seconds when it is told to while a server says nothing', async (test) => {
        const connection = serverConnection(reader, await startRawServer(test, () => undefined))
        const abort = new AbortController()
        await endsSoon(reader.type, abort, () =>
          reader.describe(connection, { maxTables: 1, signal: abort.signal }),
        )
      })
    })
  }
})

/** An address on this host, and what makes those of buckets lead there too. */
function addressOf({ namesBuckets }: RemoteProtocol, scheme: string, port: number) {
  const address = namesBuckets === true ? `${scheme}://bucket/x.csv` : `${scheme}://127.0.0.1:${port}/x.csv`
  return { address, settings: namesBuckets === true ? { s3Endpoint: `http://127.0.0.1:${port}` } : {} }
}

describe('every protocol of remote data', () => {
  for (const protocol of remoteProtocols) {
    for (const scheme of Object.keys(protocol.ports)) {
      describe(scheme, () => {
        it('belongs to one protocol', () => assert.equal(findProtocol(scheme), protocol))

        it('says that nothing answers, without the secret, and leaves no part', async (test) => {
          const { address, settings } = addressOf(protocol, scheme, await freePort())
          await assert.rejects(
            fetchInto(test, address, { ...settings, credentials: { username: 'me', password: secret } }),
            (error) => error instanceof Failure && !error.message.includes(secret),
          )
        })

        it('ends within two seconds when it is told to while a server says nothing', async (test) => {
          const { address, settings } = addressOf(
            protocol,
            scheme,
            await startRawServer(test, () => undefined),
          )
          const abort = new AbortController()
          await endsSoon(scheme, abort, () => fetchInto(test, address, { ...settings, signal: abort.signal }))
        })

        it('goes to no address that the guard refuses', async (test) => {
          const { address, settings } = addressOf(protocol, scheme, await freePort())
          await assert.rejects(fetchInto(test, address, { ...settings, allow: [] }), Failure)
        })
      })
    }
  }
})
