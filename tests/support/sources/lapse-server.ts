// A server whose clock is a file, so that a test can let years pass. Arguments: the path of that file.

import { readFileSync } from 'node:fs'
import { startServer } from '../../../src/app/app.ts'
import { loadSettings } from '../../../src/core/config/settings.ts'
import { silentLogger } from '../silent-logger.ts'

const [, , path = ''] = process.argv
const clock = { now: () => new Date(readFileSync(path, 'utf8')) }
const { TERRANE_DATA = path } = process.env
const settings = loadSettings({ ...process.env, TERRANE_DATA })
const { localUrl } = await startServer(settings, {
  clock,
  log: silentLogger,
  notice: () => undefined,
  passwordCost: { logN: 8, r: 8, p: 1 },
})
process.stdout.write(`${localUrl}\n`)
