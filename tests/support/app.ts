import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppOptions, Terrane } from '../../src/app/app.ts'
import { createApp } from '../../src/app/app.ts'
import { databaseFile, loadSettings } from '../../src/core/config/settings.ts'
import { openDatabase } from '../../src/core/db/connection.ts'
import { without } from '../../src/core/values/defined.ts'
import './described-answers.ts'
import { silentLogger } from './silent-logger.ts'
import { isProcessShared } from './test-file-hooks.ts'

export const adminPassword = 'test-admin-password'

export interface TestAppOptions extends AppOptions {
  /**
   * Environment variables in addition to those that tests need; monitoring is off unless they switch it on.
   */
  env?: Record<string, string>
  /** Existing data directory, which is not removed; default: a new one that `close` removes. */
  dataDir?: string
}

export interface TestApp extends Terrane {
  /** Headers of the user `admin`. */
  admin: { authorization: string }
  dataDir: string
}

export function basicAuth(name: string, password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` }
}

let emptyCatalog: Promise<Buffer> | undefined

/** File of an embedded database with all tables and no rows, made once: its migrations take a third of a start. */
async function makeEmptyCatalog(): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-test-'))
  try {
    const path = join(folder, databaseFile)
    await (await openDatabase({ path })).close()
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeDataDir(env: Record<string, string> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-test-'))
  writeFileSync(join(folder, 'secret.key'), `${'0123456789abcdef'.repeat(4)}\n`)
  if (env['TERRANE_DATABASE_URL'] === undefined) {
    emptyCatalog ??= makeEmptyCatalog()
    writeFileSync(join(folder, databaseFile), await emptyCatalog)
  } else {
    // Servers that tests start one after the other on one catalogue use the same key and the same id of files.
    writeFileSync(join(folder, 'files.id'), 'files-of-a-test\n')
  }
  return folder
}

/** A whole server on an embedded database in a temporary folder, for `app.inject`; close it after the test. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? (await makeDataDir(options.env))
  const settings = loadSettings({
    TERRANE_DATA: dataDir,
    TERRANE_PORT: '0',
    TERRANE_SAMPLE: 'off',
    TERRANE_MONITORING: 'off',
    TERRANE_ADMIN_PASSWORD: adminPassword,
    ...options.env,
  })
  const appOptions = without(options, 'env', 'dataDir')
  const terrane = await createApp(settings, {
    log: silentLogger,
    notice: () => undefined,
    passwordCost: { logN: 8, r: 8, p: 1 },
    reusesThreads: isProcessShared(),
    ...appOptions,
  })
  return {
    ...terrane,
    admin: basicAuth('admin', adminPassword),
    dataDir,
    close: async () => {
      await terrane.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
