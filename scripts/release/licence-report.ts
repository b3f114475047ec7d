import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockEntry {
  version?: string
  dev?: boolean
  devOptional?: boolean
}

interface Manifest {
  license?: string
  licenses?: { type: string }[]
}

/** Returns package, version and licence of everything that a release contains or needs, as CSV sorted by name. */
export function licenceReport(root: string): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>
  }
  const rows = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .filter(([path]) => existsSync(join(root, path, 'package.json')))
    .map(([path, { version = '' }]) =>
      [nameOf(path), version, licenceOf(join(root, path))].map(quoted).join(','),
    )
  return `${['package,version,licence', ...new Set(rows.sort())].join('\n')}\n`
}

function nameOf(path: string): string {
  return path.replace(/^.*node_modules\//, '')
}

function licenceOf(folder: string): string {
  const { license, licenses } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  return license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'not stated'
}

function quoted(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
