import { textsOf } from '../messages.ts'
import { batchDe } from './batch-de.ts'
import { batchEn } from './batch-en.ts'
import { columnsDe } from './columns-de.ts'
import { columnsEn } from './columns-en.ts'
import { de } from './de.ts'
import { decidingDe } from './deciding-de.ts'
import { decidingEn } from './deciding-en.ts'
import { en } from './en.ts'
import { historyDe } from './history-de.ts'
import { historyEn } from './history-en.ts'
import { sendingDe } from './sending-de.ts'
import { sendingEn } from './sending-en.ts'
import { sourcesDe } from './sources-de.ts'
import { sourcesEn } from './sources-en.ts'
import { togetherDe } from './together-de.ts'
import { togetherEn } from './together-en.ts'

export const importTexts = textsOf({ en, de })
export const sendingTexts = textsOf({ en: sendingEn, de: sendingDe })
export const columnsTexts = textsOf({ en: columnsEn, de: columnsDe })
export const sourcesTexts = textsOf({ en: sourcesEn, de: sourcesDe })
export const decidingTexts = textsOf({ en: decidingEn, de: decidingDe })
export const batchTexts = textsOf({ en: batchEn, de: batchDe })
export const togetherTexts = textsOf({ en: togetherEn, de: togetherDe })
export const historyTexts = textsOf({ en: historyEn, de: historyDe })
