// `node scripts/older-data.ts <commit>`: data directories as that commit made them, for the test that opens them.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { runSql, startPostgres } from '../tests/support/postgres.ts'

const root = dirname(import.meta.dirname)
const target = join(root, 'tests/fixtures/older-data')
/** The role that the stores of the dump connect as; the test makes it again. */
const role = { name: 'terrane_older', password: 'terrane-older-password' }

const [commit = 'HEAD~1'] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'terrane-older-'))
try {
  const tree = join(folder, 'tree')
  mkdirSync(tree)
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C ${tree}`], { cwd: root })
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  for (const file of readdirSync(target)) if (file !== 'README.md') rmSync(join(target, file))
  mkdirSync(target, { recursive: true })
  fill(tree, 'sqlite')
  const cluster = await startPostgres()
  try {
    const database = await cluster.createDatabase()
    await runSql(database, `create role ${role.name} login superuser password '${role.password}'`)
    const url = Object.assign(new URL(database), { username: role.name, password: role.password }).href
    fill(tree, 'postgres', url)
    const dump = execFileSync(program('pg_dump'), ['--no-owner', '--no-privileges', url], {
      maxBuffer: 2 ** 28,
    })
    writeFileSync(join(target, 'postgres.sql.gz'), gzipSync(dump, { level: 9 }))
  } finally {
    await cluster.stop()
  }
  const made = execFileSync('git', ['rev-parse', '--short', commit], { cwd: root }).toString().trim()
  writeFileSync(join(target, 'made-by.txt'), `${made}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function fill(tree: string, name: string, databaseUrl = ''): void {
  // The place is written into the catalogue; the test puts its own in its stead.
  const data = `/tmp/terrane-older-data-${name}`
  rmSync(data, { recursive: true, force: true })
  try {
    const script = join(root, 'scripts/older-data/fill.ts')
    execFileSync(process.execPath, [script, tree, data, databaseUrl], { stdio: 'inherit' })
    const archive = join(target, `${name}.tar.gz`)
    execFileSync('tar', ['--sort=name', '-czf', archive, '-C', data, '--exclude=*.lock', '.'])
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

function program(name: string): string {
  const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
  return join('/usr/lib/postgresql', versions[0] ?? '', 'bin', name)
}
