import type { ReportGrouping } from '../query/usage-report.ts'

/** Languages of printed reports and mails. */
export const reportLanguages = ['en', 'de'] as const
/** One of `reportLanguages`. */
export type ReportLanguage = (typeof reportLanguages)[number]

const en = {
  title: 'Usage report',
  period: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
  zone: (zone: string) => `Days of ${zone}`,
  comparedWith: (from: string, to: string) => `compared with ${en.period(from, to)}`,
  since: (day: string) => `Counted since ${day}`,
  notCounted: 'Nothing was counted',
  incomplete: 'The period is not complete.',
  overlaps: 'One request can count in several rows, so the rows do not add up to the total.',
  total: 'Total',
  keys: {
    layer: 'Layer',
    workspace: 'Workspace',
    owner: 'Owner',
    country: 'Country',
    program: 'Program',
    referrer: 'Referrer',
    day: 'Day',
    month: 'Month',
  } satisfies Record<ReportGrouping, string>,
  hits: 'Requests',
  before: 'Before',
  people: 'By people',
  visits: 'Visits',
  robots: 'By robots',
  outside: 'From outside',
  downloads: 'Downloads',
  errors: 'Failed',
  p95: 'Time (p95)',
  bytes: 'Sent',
  lastUse: 'Last use',
  unused: 'Layers without a request',
  never: 'no use known',
  features: 'Features',
  size: 'Size',
  notKnown: 'Not known',
  visitsNote: 'A visit is one visitor on one day.',
  more: (count: number) => `${count} more rows are in the attached CSV file.`,
  subject: (host: string, month: string) => `Usage of ${host} in ${month}`,
  unsubscribe: 'To end these mails, delete the subscription:',
  open: 'Open the report',
  milliseconds: (value: string) => `${value} ms`,
}

/** Texts of a report in one language. */
export type ReportTexts = typeof en

const de: ReportTexts = {
  title: 'Zugriffsstatistik',
  period: (from, to) => (from === to ? from : `${from} bis ${to}`),
  zone: (zone) => `Tage in ${zone}`,
  comparedWith: (from, to) => `verglichen mit ${de.period(from, to)}`,
  since: (day) => `Gezählt seit ${day}`,
  notCounted: 'Es wurde nichts gezählt',
  incomplete: 'Der Zeitraum ist nicht vollständig.',
  overlaps: 'Ein Zugriff kann in mehreren Zeilen zählen; die Zeilen ergeben daher nicht die Summe.',
  total: 'Summe',
  keys: {
    layer: 'Layer',
    workspace: 'Arbeitsbereich',
    owner: 'Verantwortlich',
    country: 'Land',
    program: 'Programm',
    referrer: 'Verweisende Seite',
    day: 'Tag',
    month: 'Monat',
  },
  hits: 'Zugriffe',
  before: 'Vorher',
  people: 'Von Personen',
  visits: 'Besuche',
  robots: 'Von Robotern',
  outside: 'Von außen',
  downloads: 'Downloads',
  errors: 'Fehlgeschlagen',
  p95: 'Zeit (p95)',
  bytes: 'Gesendet',
  lastUse: 'Letzter Zugriff',
  unused: 'Layer ohne Zugriff',
  never: 'kein Zugriff bekannt',
  features: 'Objekte',
  size: 'Größe',
  notKnown: 'Nicht bekannt',
  visitsNote: 'Ein Besuch ist ein Besucher an einem Tag.',
  more: (count) => `${count} weitere Zeilen stehen in der angehängten CSV-Datei.`,
  subject: (host, month) => `Zugriffe auf ${host} im Monat ${month}`,
  unsubscribe: 'Zum Beenden dieser Mails das Abonnement löschen:',
  open: 'Bericht öffnen',
  milliseconds: (value) => `${value} ms`,
}

/** Texts by language. */
export const reportTexts: Record<ReportLanguage, ReportTexts> = { en, de }
