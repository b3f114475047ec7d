// `node scripts/release/deb.mjs [folder]`: writes the Debian package into a folder (default: build/release) and prints its path.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { run, SetupError, say } from '../setup/run.mjs'
import { writeProgram } from './program-tree.mjs'
import { sourceDateEpoch } from './source-date.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const architectures = { x64: 'amd64', arm64: 'arm64' }
/** Files of deploy/debian -> path in the package and mode. */
const placed = {
  'terrane.service': ['lib/systemd/system/terrane.service', 0o644],
  'terrane-work@.service': ['lib/systemd/system/terrane-work@.service', 0o644],
  'sysusers.conf': ['usr/lib/sysusers.d/terrane.conf', 0o644],
  'terrane.env': ['etc/terrane/terrane.env', 0o640],
  'terrane.toml': ['etc/terrane/terrane.toml', 0o640],
  'terrane.sh': ['usr/bin/terrane', 0o755],
  copyright: ['usr/share/doc/terrane/copyright', 0o644],
}
const scripts = ['preinst', 'postinst', 'prerm', 'postrm']

/** Writes the Debian package of the sources into a folder and returns its path. `compression`: xz (default) or gzip. */
export async function buildDeb(folder, { compression } = {}) {
  mkdirSync(folder, { recursive: true })
  const stage = mkdtempSync(join(tmpdir(), 'terrane-deb-'))
  try {
    const manifest = await writeProgram(root, join(stage, 'usr/lib/terrane'))
    return packDeb(stage, folder, manifest.version, compression)
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Adds the files of deploy/debian to a tree with the program in usr/lib/terrane and packs it with `xz` or `gzip`. */
export function packDeb(stage, folder, version, compression = 'xz') {
  const architecture = architectures[process.arch]
  if (architecture === undefined) throw new SetupError(`There is no Debian package for ${process.arch}`)
  const sources = join(root, 'deploy', 'debian')
  for (const [name, [path, mode]] of Object.entries(placed))
    place(join(sources, name), join(stage, path), mode)
  for (const name of scripts) place(join(sources, name), join(stage, 'DEBIAN', name), 0o755)
  place(join(sources, 'conffiles'), join(stage, 'DEBIAN', 'conffiles'), 0o644)
  const control = readFileSync(join(sources, 'control'), 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@SIZE@', String(Math.ceil(sizeOf(stage) / 1024)))
  writeFileSync(join(stage, 'DEBIAN', 'control'), control)
  normalizeModes(stage)
  const path = join(folder, `terrane_${version}_${architecture}.deb`)
  const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDateEpoch(root) }
  const { ok, output } = run('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', stage, path], {
    env,
  })
  if (!ok) throw new SetupError(`dpkg-deb failed:\n${output}`)
  return path
}

function place(from, to, mode) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
  chmodSync(to, mode)
}

/** The umask of who builds must not show: folders and programs 755, files 644, configuration as `placed` says. */
function normalizeModes(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mode } = statSync(path)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (!path.includes('/etc/')) chmodSync(path, (mode & 0o100) === 0 ? 0o644 : 0o755)
  }
  chmodSync(folder, 0o755)
}

function sizeOf(folder) {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  )
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  say(await buildDeb(resolve(process.argv[2] ?? join(root, 'build', 'release'))))
}
