import { serveWork } from '../../../core/workers/serve-work.ts'
import { documentFunctions } from './document-functions.ts'

serveWork(documentFunctions)
