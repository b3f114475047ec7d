import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Cleanup, programIn } from './terrane-process.ts'

const root = resolve(import.meta.dirname, '..', '..')

/**
 * Copies the program as it will be some releases later: each release adds a table by a migration. Returns the path of
 * its program, for `startTerrane`. The present migrations belong to the first release.
 */
export function makeLaterVersion(t: Cleanup, releases: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-later-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['src', 'packages', 'bin', 'basemap', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const db = join(folder, 'src', 'core', 'db')
  const migrate = readFileSync(join(db, 'migrate.ts'), 'utf8')
  const names = [...migrate.matchAll(/'(\d{4}-[a-z-]+)':/g)].map(([, name = '']) => name)
  const added = Array.from({ length: releases }, (_, number) => `90${10 + number}-later`)
  const entries = added.map(
    (name) => `'${name}': { up: async (db: Kysely<unknown>) => {
      await db.schema.createTable('later_${name.slice(0, 4)}').addColumn('id', 'integer').execute()
    } },`,
  )
  writeFileSync(
    join(db, 'migrate.ts'),
    migrate.replace(/('\d{4}-[a-z-]+': \w+,\n)( {2}\}\n\})/, `$1${entries.join('\n')}\n$2`),
  )
  const released = [names.toSorted().at(-1) ?? '', ...added.slice(0, -1)]
  const versionFile = join(db, 'schema-version.ts')
  writeFileSync(
    versionFile,
    readFileSync(versionFile, 'utf8').replace(
      /releasedMigrations: readonly string\[\] = \[[^\]]*\]/,
      `releasedMigrations: readonly string[] = ${JSON.stringify(released)}`,
    ),
  )
  return programIn(folder)
}
