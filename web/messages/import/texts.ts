import { textsOf } from '../messages.ts'
import { columnsDe } from './columns-de.ts'
import { columnsEn } from './columns-en.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { sendingDe } from './sending-de.ts'
import { sendingEn } from './sending-en.ts'
import { sourcesDe } from './sources-de.ts'
import { sourcesEn } from './sources-en.ts'

export const importTexts = textsOf({ en, de })
export const sendingTexts = textsOf({ en: sendingEn, de: sendingDe })
export const columnsTexts = textsOf({ en: columnsEn, de: columnsDe })
export const sourcesTexts = textsOf({ en: sourcesEn, de: sourcesDe })
