import type { FileSettings } from '../core/config/file-settings.ts'
import { environmentReader } from '../core/config/parse.ts'
import type { DataSettings } from '../core/config/settings.ts'
import { loadSettings, minPasswordLength, SettingsError } from '../core/config/settings.ts'
import type { Secret } from '../core/secrets/secret.ts'
import type { Environment } from './options.ts'
import { readFlags, refuseMoreWords, UsageError } from './options.ts'

export const passphraseSetting = 'TERRANE_BACKUP_PASSPHRASE'
const everyMs = 1000

/** `terrane backup TARGET`: backs up catalogue, files and key of one moment, while servers go on working. */
export async function runBackup(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('backup', args, {
    'without-key': { type: 'boolean', default: false },
  })
  const [target] = positionals
  if (target === undefined)
    throw new UsageError('`terrane backup` needs a folder, or a file such as terrane.tar')
  refuseMoreWords('backup', positionals, 1)
  const passphrase = readPassphrase(env)
  if (passphrase === undefined && !values['without-key'])
    throw new UsageError(
      `${passphraseSetting} encrypts the key of stored passwords in the backup: set it, or leave the key out with --without-key`,
    )
  if (passphrase !== undefined && values['without-key'])
    throw new UsageError(`${passphraseSetting} is set, and --without-key leaves the key out: use one of them`)
  const { data, files: fileSettings, databaseUrl } = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { makeBackup } = await import('../app/backup/backup.ts')
  const report = everySecond()
  const { files, bytes, hasKey } = await makeBackup({
    target,
    data,
    files: fileSettings,
    databaseUrl,
    passphrase,
    onProgress: (done) => report(`${done.files} files, ${sizeText(done.bytes)}`),
  })
  const key = hasKey
    ? `The key of stored passwords is in it, encrypted with ${passphraseSetting}.`
    : 'The key of stored passwords is not in it: keep secret.key, or the value of TERRANE_SECRET_KEY, elsewhere.'
  process.stdout.write(`${target} has the backup: ${files} files, ${sizeText(bytes)}. ${key}\n`)
  return 0
}

/** `terrane restore SOURCE`: restores a backup into an empty data directory and database. */
export async function runRestore(args: string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags('restore', args, { check: { type: 'boolean', default: false } })
  const [source] = positionals
  if (source === undefined) throw new UsageError('`terrane restore` needs the folder or file of a backup')
  refuseMoreWords('restore', positionals, 1)
  const passphrase = readPassphrase(env)
  const { data, files: fileSettings, databaseUrl } = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { restoreBackup } = await import('../app/backup/restore.ts')
  const report = everySecond()
  let files = 0
  const { manifest, key } = await restoreBackup({
    source,
    data,
    files: fileSettings,
    databaseUrl,
    passphrase,
    isCheck: values.check,
    onFile: () => {
      files += 1
      report(`${files} files`)
    },
  })
  const of = `${manifest.files.length} files of ${manifest.createdAt}`
  if (values.check) process.stdout.write(`The backup is complete: ${of}, all checksums are right.\n`)
  else process.stdout.write(`${placesOf(data, fileSettings)} the backup: ${of}. ${keyAdvice[key]}\n`)
  return 0
}

function placesOf({ directory }: DataSettings, { s3 }: FileSettings): string {
  return s3 === undefined ? `${directory} has` : `${directory} and s3://${s3.bucket}/${s3.prefix} have`
}

const keyAdvice = {
  restored: 'Start the server with the same settings.',
  setting: 'The key is that of TERRANE_SECRET_KEY. Start the server with the same settings.',
  missing:
    'The backup has no key: put secret.key into the data directory, or set TERRANE_SECRET_KEY, before you start the server.',
}

function readPassphrase(env: Environment): Secret | undefined {
  const problems: string[] = []
  const secret = environmentReader(env, problems).secret(passphraseSetting)
  if (secret !== undefined && secret.reveal().length < minPasswordLength)
    problems.push(`${passphraseSetting} must have at least ${minPasswordLength} characters`)
  if (problems.length > 0) throw new SettingsError(problems)
  return secret
}

/** Writes progress to standard error, at most once a second. */
function everySecond(): (text: string) => void {
  let last = performance.now()
  return (text) => {
    if (performance.now() - last < everyMs) return
    last = performance.now()
    process.stderr.write(`${text}\n`)
  }
}

function sizeText(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(2)} GiB`
}
