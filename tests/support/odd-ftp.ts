import type { TestContext } from 'node:test'
import { startRawServer } from './remote-fetch.ts'

/** Small FTP server with one file; `send` returns the content of a transfer that begins at `start`. */
export interface OddFtp {
  sizeBytes: number
  send(start: number, count: number): string
  /** Host that the server names for data connections; if absent the server supports EPSV. */
  passiveHost?: string
}

/** Starts the server. Returns its port and the lines that it received. */
export async function startOddFtp(test: TestContext, { sizeBytes, send, passiveHost }: OddFtp) {
  const heard: string[] = []
  let count = 0
  const dataPort = await startRawServer(test, (socket) => {
    count += 1
    const at = count
    setTimeout(() => {
      const last = heard.findLast((line) => /^(REST|MDTM)/.test(line)) ?? ''
      socket.end(send(last.startsWith('REST') ? Number(last.slice(5)) : 0, at))
    }, 50)
  })
  const host = (passiveHost ?? '127.0.0.1').replaceAll('.', ',')
  const answers: Record<string, string> = {
    USER: '331 go on',
    PASS: '230 welcome',
    EPSV: passiveHost === undefined ? `229 Entering (|||${dataPort}|)` : '500 unknown',
    PASV: `227 Entering (${host},${dataPort >> 8},${dataPort & 255})`,
    SIZE: `213 ${sizeBytes}`,
    MDTM: '213 20240102030405',
    REST: '350 go on',
    TYPE: '200 binary',
  }
  const port = await startRawServer(test, (socket) => {
    socket.write('220 ready\r\n')
    socket.on('data', (bytes) => {
      for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
        heard.push(line)
        if (/^(RETR|LIST)/.test(line)) {
          socket.write('150 here it comes\r\n')
          setTimeout(() => socket.write('226 done\r\n'), 120)
        } else socket.write(`${answers[line.slice(0, 4)] ?? '502 unknown'}\r\n`)
      }
    })
  })
  return { port, dataPort, heard }
}
