import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppOptions, Terrane } from '../../src/app/app.ts'
import { createApp } from '../../src/app/app.ts'
import { loadSettings } from '../../src/core/config/settings.ts'
import { without } from '../../src/core/values/defined.ts'
import './described-answers.ts'
import { silentLogger } from './silent-logger.ts'

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

/** A whole server on an embedded database in a temporary folder, for `app.inject`; close it after the test. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'terrane-test-'))
  // Servers that tests start one after the other on one catalogue use the same key and the same id of files.
  if (options.dataDir === undefined && options.env?.['TERRANE_DATABASE_URL'] !== undefined) {
    writeFileSync(join(dataDir, 'secret.key'), `${'0123456789abcdef'.repeat(4)}\n`)
    writeFileSync(join(dataDir, 'files.id'), 'files-of-a-test\n')
  }
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
