import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanup } from '../terrane-process.ts'
import { temporaryData } from '../terrane-process.ts'

const repository = join(import.meta.dirname, '..', '..', '..')
const suite = 'bookworm'

/** A Debian system in a folder, removed with the test. */
export interface DebianRoot {
  folder: string
  /** Runs a command as root in it; throws unless it succeeds. Returns both outputs. */
  run(...command: string[]): string
}

/** Returns the Debian packages of the second stage of the Containerfile. */
export function imagePackages(): string[] {
  const text = readFileSync(join(repository, 'Containerfile'), 'utf8')
  const final = text.slice(text.lastIndexOf('\nFROM '))
  const [, list = ''] = /apt-get install --yes --no-install-recommends \\?\s+([^\\&]+)/.exec(final) ?? []
  return list.trim().split(/\s+/)
}

/** Creates a minimal Debian system with packages. The archive is kept below `build/`, because it takes minutes to fetch. */
export function makeDebianRoot(t: Cleanup, packages: readonly string[]): DebianRoot {
  const archive = fetchedRoot(packages)
  const folder = temporaryData(t)
  runProgram('tar', '--extract', '--file', archive, '--directory', folder)
  // Packages must not start what they bring.
  runProgram(
    'chroot',
    folder,
    'sh',
    '-c',
    "printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d",
  )
  return { folder, run: (...command) => runProgram('chroot', folder, ...command) }
}

/** Returns the path of the archive with a root of these packages. */
function fetchedRoot(packages: readonly string[]): string {
  const name = createHash('sha256')
    .update([suite, ...packages].join(' '))
    .digest('hex')
    .slice(0, 16)
  const folder = join(repository, 'build', 'roots')
  const archive = join(folder, `${name}.tar`)
  if (existsSync(archive)) return archive
  mkdirSync(folder, { recursive: true })
  const part = `${archive}.${process.pid}.tar`
  const list = packages.length === 0 ? [] : [`--include=${packages.join(',')}`]
  runProgram(
    'mmdebstrap',
    '--variant=minbase',
    ...list,
    suite,
    part,
    `deb http://deb.debian.org/debian ${suite} main`,
  )
  renameSync(part, archive)
  return archive
}

/** Runs a program and returns both outputs; throws with them unless it succeeds. */
export function runProgram(program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  })
  const output = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${output}`)
  return output
}

/** Returns the shell command that mounts what every Debian system has, for a private mount namespace (`unshare --mount`). */
export function systemMounts(root: string): string {
  return `mount -t proc proc ${root}/proc && mount --bind /dev ${root}/dev`
}
