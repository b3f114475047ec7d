import { randomBytes } from 'node:crypto'
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { plainReason } from '../errors/plain-reason.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Reader } from './parse.ts'

const keyBytes = 32
/** A pending key file of a process that is starting concurrently is younger than this. */
const abandonedMs = 10 * 60_000

/** Returns the bytes of a key that is written as 64 hexadecimal digits; undefined for all other text. */
export function parseSecretKey(text: string): Uint8Array | undefined {
  const isKey = text.length === 2 * keyBytes && /^[0-9a-f]+$/i.test(text)
  return isKey ? Buffer.from(text, 'hex') : undefined
}

/**
 * Reads the key that encrypts stored passwords, and creates it if missing. If two processes create a key
 * concurrently, both use the same one. Throws an `Error` that names the file, the problem and the remedy.
 */
export function readSecretKey(path: string): Uint8Array {
  removeAbandoned(path)
  if (!existsSync(path)) makeKey(path)
  const text = readKeyFile(path).trim()
  const key = parseSecretKey(text)
  if (key !== undefined) return key
  const found = text === '' ? 'is empty' : 'is damaged'
  throw new Error(
    `The key file ${path} ${found}: it must hold ${2 * keyBytes} hexadecimal digits. Restore it from the backup of the data directory. Without a backup, remove the file and run \`terrane key adopt\`: it makes a new key, and the passwords of stores and receivers must be set again`,
  )
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const text = `The key file ${withReason(path, error)}. Make it readable for the user that runs the server alone (chown, chmod 600)`
    throw new Error(text, { cause: error })
  }
}

/** Suffix of the file of a new key, next to the old one, while the catalogue is encrypted with it. */
const proposedSuffix = '.new'

/** Writes a new key next to the key file and returns it; `installProposedKey` makes it the key file. */
export function proposeSecretKey(path: string): Uint8Array {
  const key = randomBytes(keyBytes)
  try {
    writeFileSync(path + proposedSuffix, `${key.toString('hex')}\n`, { mode: 0o600, flush: true })
  } catch (error) {
    const text = `The key file ${path}${proposedSuffix} cannot be written: ${reasonOnly(error)}. Fix the cause and run the command again`
    throw new Error(text, { cause: error })
  }
  return key
}

/** Returns the key of a rotation that was interrupted; undefined if there is none. */
export function readProposedKey(path: string): Uint8Array | undefined {
  const file = path + proposedSuffix
  return existsSync(file) ? parseSecretKey(readKeyFile(file).trim()) : undefined
}

/** Makes the proposed key the key file. */
export function installProposedKey(path: string): void {
  renameSync(path + proposedSuffix, path)
}

/** Writes the key to a temporary file and links it, so that the key file is always complete. */
function makeKey(path: string): void {
  const proposal = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(proposal, `${randomBytes(keyBytes).toString('hex')}\n`, { mode: 0o600, flush: true })
    linkSync(proposal, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    const text = `The key file ${path} cannot be written: ${reasonOnly(error)}. Fix the cause and start the server again`
    throw new Error(text, { cause: error })
  } finally {
    rmSync(proposal, { force: true })
  }
}

/** Removes files left by processes that crashed, or ran out of disk space, while creating a key. */
function removeAbandoned(path: string): void {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !/^\d+\.[0-9a-f]{8}$/.test(name.slice(prefix.length))) continue
    const proposal = join(folder, name)
    try {
      const { size, mtimeMs } = statSync(proposal)
      if (size === 0 || Date.now() - mtimeMs > abandonedMs) rmSync(proposal, { force: true })
    } catch {
      // Another process has removed it.
    }
  }
}

function withReason(path: string, error: unknown): string {
  return `${path} cannot be read: ${reasonOnly(error)}`
}

/** Returns the reason without the path, which the message already contains. */
function reasonOnly(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return plainReason(Object.assign(new Error(), { code })) ?? String(error)
}

/** Reads `TERRANE_SECRET_KEY`. */
export function readSecretKeySetting(read: Reader): Secret | undefined {
  const secret = read.secret('TERRANE_SECRET_KEY', { default: '`secret.key` in the data directory' })
  if (secret === undefined || parseSecretKey(secret.reveal()) !== undefined) return secret
  read.problem('TERRANE_SECRET_KEY', 'must be 64 hexadecimal digits, such as `openssl rand -hex 32` prints')
  return undefined
}
