import { Socket } from 'node:net'
import { parentFd } from './parent-fd.ts'

// Nothing is ever written to this pipe: it closes when the process at its other end dies.
new Socket({ fd: parentFd, writable: false })
  .on('error', () => undefined)
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .resume()
