import type { ChildProcess } from 'node:child_process'
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './terrane-process.ts'
import { patienceMs } from './until.ts'

/** Why servers with accounts of the system cannot be started here; undefined where they can. */
export const noAccounts = process.getuid?.() === 0 ? undefined : 'accounts of the system need root'

/** A folder of a test's own that every user may enter. */
export function openFolder(test: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-remote-'))
  chmodSync(folder, 0o755)
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function untilListening(child: ChildProcess, port: number, host: string, output: () => string) {
  for (const until = Date.now() + patienceMs; Date.now() < until; ) {
    if (child.exitCode !== null) break
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host)
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isThere) return
    await sleep(30)
  }
  throw new Error(`No server came up on port ${port}: ${output()}`)
}

/** Starts a program that serves on a port, and ends it with everything it started after the test. */
export async function startProgram(
  test: Cleanup,
  program: string,
  args: string[],
  port: number,
  host = '127.0.0.1',
) {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000)
    })
  }
  child.once('error', (error) => {
    output += error.message
  })
  test.after(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  })
  await untilListening(child, port, host, () => output)
}

/** A certificate for 127.0.0.1 and localhost that is its own authority. */
export interface Certificate {
  certificate: string
  key: string
}

export function makeCertificate(folder: string): Certificate {
  const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')]
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:127.0.0.9'
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      names,
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  )
  return { certificate, key }
}

/** Starts nginx with the directives of one `server` block. Returns its port. */
export async function startNginx(
  test: Cleanup,
  directives: string,
  options = '',
  ofHttp: (folder: string) => string = () => '',
): Promise<number> {
  const folder = openFolder(test)
  const port = await freePort()
  mkdirSync(join(folder, 'logs'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    worker_processes 1;
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.log;
    events { worker_connections 64; }
    http {
      access_log off;
      default_type application/octet-stream;
      ${paths}
      ${ofHttp(folder)}
      server { listen 127.0.0.1:${port} ${options}; listen 127.0.0.2:${port} ${options}; ${directives} }
    }`,
  )
  const conf = join(folder, 'nginx.conf')
  await startProgram(test, 'nginx', ['-p', folder, '-c', conf, '-e', `${folder}/error.log`], port)
  return port
}

export interface Account {
  name: string
  password: string
  /** Home, owned by the account. */
  folder: string
}

/** An account of the system with a password, removed after the test. Needs root. */
export async function makeAccount(test: Cleanup): Promise<Account> {
  const folder = openFolder(test)
  const name = `terrane${process.pid}x${Math.floor(Math.random() * 1e6)}`.slice(0, 30)
  const password = 'correct: horse/battery@staple%20'
  const run = async (program: string, args: string[], input = ''): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        execFileSync(program, args, { input, stdio: ['pipe', 'ignore', 'pipe'] })
        return
      } catch (error) {
        if (attempt === 300) throw error
        await sleep(200)
      }
    }
  }
  await run('useradd', ['--no-create-home', '--home-dir', folder, '--shell', '/bin/sh', name])
  test.after(() => void execFileSync('userdel', ['--force', name], { stdio: 'ignore' }))
  await run('chpasswd', [], `${name}:${password}\n`)
  return { name, password, folder }
}

export type FtpSecurity = 'none' | 'explicit' | 'implicit'

/** Starts vsftpd for the accounts of the system; gives its port. Needs root. */
export async function startVsftpd(
  test: Cleanup,
  security: FtpSecurity,
  { certificate, key }: Partial<Certificate> = {},
): Promise<number> {
  const folder = openFolder(test)
  const isImplicit = security === 'implicit'
  const port = isImplicit ? 990 : await freePort()
  const address = isImplicit ? '127.0.0.9' : '127.0.0.1'
  mkdirSync('/var/run/vsftpd/empty', { recursive: true })
  const tls =
    security === 'none'
      ? 'ssl_enable=NO'
      : `ssl_enable=YES
force_local_data_ssl=YES
force_local_logins_ssl=YES
implicit_ssl=${isImplicit ? 'YES' : 'NO'}
rsa_cert_file=${certificate}
rsa_private_key_file=${key}
ssl_ciphers=HIGH`
  const conf = join(folder, 'vsftpd.conf')
  writeFileSync(
    conf,
    `listen=YES
background=NO
listen_address=${address}
listen_port=${port}
anonymous_enable=NO
local_enable=YES
write_enable=NO
seccomp_sandbox=NO
xferlog_enable=NO
pam_service_name=vsftpd
${tls}
`,
  )
  await startProgram(test, 'vsftpd', [conf], port, address)
  return port
}

/** Starts OpenSSH with SFTP alone, by password, under a new key; gives its port. Needs root. */
export async function startSshd(test: Cleanup): Promise<number> {
  const folder = openFolder(test)
  const port = await freePort()
  const hostKey = join(folder, 'host_key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  mkdirSync('/run/sshd', { recursive: true })
  const conf = join(folder, 'sshd_config')
  writeFileSync(
    conf,
    `ListenAddress 127.0.0.1:${port}
HostKey ${hostKey}
PidFile none
UsePAM no
PasswordAuthentication yes
PubkeyAuthentication no
StrictModes no
Subsystem sftp internal-sftp
ForceCommand internal-sftp
`,
  )
  await startProgram(test, '/usr/sbin/sshd', ['-D', '-e', '-f', conf], port)
  return port
}

/** Starts an S3 server with one bucket. Returns its URL. Its key is `S3RVER` with the secret `S3RVER`. */
export async function startS3(test: Cleanup, bucket: string): Promise<string> {
  const folder = openFolder(test)
  const port = await freePort()
  const program = join('node_modules', 's3rver', 'bin', 's3rver.js')
  const args = ['-d', folder, '-a', '127.0.0.1', '-p', String(port), '--configure-bucket', bucket]
  await startProgram(test, process.execPath, [program, ...args], port)
  return `http://127.0.0.1:${port}`
}
