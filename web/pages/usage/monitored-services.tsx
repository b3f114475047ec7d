import { useSignal } from '@preact/signals'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { shownMoment } from '../../components/formats.ts'
import { Icon } from '../../components/icon.tsx'
import { setQuery } from '../../lib/router.ts'
import { chartTexts } from '../../messages/charts/texts.ts'
import { usageTexts } from '../../messages/usage/texts.ts'
import type { Service } from './metrics.ts'

const pageRows = 25
/** A service that was not read for so many of its periods is late. */
const patience = 3

interface Props {
  services: readonly Service[]
  at: number
  /** True if a service has requests, as opposed to host readings. */
  isOwn(service: Service): boolean
}

/** Monitored services, with the time of their last poll and links to their numbers. */
export function MonitoredServices({ services, at, isOwn }: Props) {
  const texts = usageTexts.value
  const first = useSignal(0)
  const begin = Math.min(first.value, Math.max(0, services.length - 1))
  const shown = services.slice(begin, begin + pageRows)
  return (
    <section class="panel" aria-label={texts.watched}>
      <header>
        <h2>{texts.watched}</h2>
        <CopyAsCurl call={{ path: '/monitoring/api/services' }} />
      </header>
      {services.length === 0 ? (
        <p class="body dim">{texts.noServices}</p>
      ) : (
        <section class="scroll" tabIndex={0} aria-label={chartTexts.value.tableOf(texts.watched)}>
          <table class="rowcards">
            <thead>
              <tr>
                {[texts.server, texts.kind, texts.host, texts.lastRead, texts.state, texts.numbers].map(
                  (one) => (
                    <th key={one} scope="col">
                      {one}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {shown.map((service) => (
                <Row key={service.id} service={service} at={at} isOwn={isOwn(service)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {services.length > pageRows && (
        <footer class="row wrap">
          <span class="grow">{texts.pageOf(begin + 1, begin + shown.length, services.length)}</span>
          <button
            type="button"
            class="btn sm"
            disabled={begin === 0}
            onClick={() => {
              first.value = Math.max(0, begin - pageRows)
            }}
          >
            {chartTexts.value.earlier}
          </button>
          <button
            type="button"
            class="btn sm"
            disabled={begin + pageRows >= services.length}
            onClick={() => {
              first.value = begin + pageRows
            }}
          >
            {chartTexts.value.later}
          </button>
        </footer>
      )}
    </section>
  )
}

function Row({ service, at, isOwn }: { service: Service; at: number; isOwn: boolean }) {
  const texts = usageTexts.value
  const { name, type, host, last_check: read, check_interval: interval, active } = service
  const isLate = read === null || at - Date.parse(read) > patience * interval * 1000
  const numbers = isOwn ? texts.serverNumbers : texts.hostNumbers
  return (
    <tr>
      <th scope="row">
        <span class="cell cut" dir="auto" title={name.slice(0, 300)}>
          {name.slice(0, 300)}
        </span>
      </th>
      <td class="nowrap">{texts.kinds[type] ?? type}</td>
      <td data-l={texts.host}>
        <span class="cell cut" dir="auto">
          {host.slice(0, 300)}
        </span>
      </td>
      <td class="nowrap" data-l={texts.lastRead}>
        {read === null ? texts.never : shownMoment(new Date(read))}
      </td>
      <td>
        {!active ? (
          <span class="st off">
            <Icon name="pause" />
            {texts.off}
          </span>
        ) : isLate ? (
          <span class="st warn">
            <Icon name="warn" />
            {texts.late}
          </span>
        ) : (
          <span class="st ok">
            <Icon name="ok" />
            {texts.fresh}
          </span>
        )}
      </td>
      <td>
        <span class="row">
          {Object.entries(numbers).map(([metric, title]) => (
            <button
              key={metric}
              type="button"
              class="btn quiet sm"
              aria-label={`${title}, ${name.slice(0, 100)}`}
              onClick={() => {
                setQuery(
                  { metric, service: name, by: undefined, label: undefined, resource: undefined },
                  { isReplaced: false },
                )
                document.getElementById('main')?.scrollIntoView()
              }}
            >
              {title}
            </button>
          ))}
        </span>
      </td>
    </tr>
  )
}
