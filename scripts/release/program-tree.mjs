// The program as the Debian package and the container image have it: the npm package, the packages that it needs, and Node.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { SetupError } from '../setup/run.mjs'
import { stagePackage } from './package-files.mjs'

const neededMajor = 24
/** Files of packages that no program reads. */
const unread = /(?:\.d\.[cm]?ts|\.map|\.md|\.markdown|\.ts|\.tsbuildinfo)$/i
const unreadFolders = new Set(['test', 'tests', 'docs', 'example', 'examples', '.github', 'dist-types'])

/**
 * Writes the program into a folder: the files of the npm package, `node_modules` with the installed versions, which are those of
 * the lock file, and `runtime/node`.
 *
 * @throws {SetupError} if this Node is not the one to ship.
 */
export async function writeProgram(root, folder) {
  if (Number(process.versions.node.split('.')[0]) < neededMajor)
    throw new SetupError(`The program is shipped with Node ${neededMajor}; this is ${process.versions.node}`)
  const manifest = await stagePackage(root, folder)
  const modules = realpathSync(join(root, 'node_modules'))
  for (const path of closureOf(modules, Object.keys(manifest.dependencies)))
    copyPackage(join(modules, path), join(folder, 'node_modules', path))
  const node = join(folder, 'runtime', 'node')
  mkdirSync(dirname(node), { recursive: true })
  cpSync(realpathSync(process.execPath), node)
  chmodSync(node, 0o755)
  return manifest
}

/** Returns the folders below `modules` of packages and of all that they need. A missing optional one is left out. */
function closureOf(modules, names) {
  const found = new Set()
  const queue = names.map((name) => ({ name, from: '', isOptional: false }))
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const path = resolvePackage(modules, next.from, next.name)
    if (path === undefined) {
      if (next.isOptional) continue
      throw new SetupError(`The package ${next.name} is not installed: npm run setup`)
    }
    if (found.has(path)) continue
    found.add(path)
    const manifest = JSON.parse(readFileSync(join(modules, path, 'package.json'), 'utf8'))
    const optional = { ...manifest.optionalDependencies, ...optionalPeers(manifest) }
    for (const name of Object.keys({ ...manifest.dependencies, ...optional }))
      queue.push({ name, from: path, isOptional: name in optional })
  }
  return withoutNested([...found].sort())
}

function optionalPeers({ peerDependencies = {}, peerDependenciesMeta = {} }) {
  const names = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
  return Object.fromEntries(names.map((name) => [name, '']))
}

/** Node's rule: the nearest `node_modules` above the package that asks. */
function resolvePackage(modules, from, name) {
  for (let at = from; at !== '.' && at !== ''; at = dirname(at)) {
    const nested = join(at, 'node_modules', name)
    if (existsSync(join(modules, nested, 'package.json'))) return nested
  }
  return existsSync(join(modules, name, 'package.json')) ? name : undefined
}

/** A package's folder contains the packages nested in it. */
function withoutNested(paths) {
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}${sep}`)))
}

function copyPackage(from, to) {
  const filter = (path) => {
    const below = path.slice(from.length + 1)
    if (/^licen[cs]e|^notice|^third-party/i.test(below)) return true
    return !unread.test(below) && !below.split(sep).some((part) => unreadFolders.has(part))
  }
  cpSync(from, to, { recursive: true, dereference: true, filter })
}
