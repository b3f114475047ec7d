import { useId } from 'preact/hooks'
import { copyText } from '../../../components/copy-as-curl.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useTexts } from '../../../messages/layer/use/texts.ts'
import { servicesOf } from './addresses.ts'
import type { UsedLayer } from './used-layer.ts'

/** Service addresses for clients. */
export function AddressesList({ layer }: { layer: UsedLayer }) {
  const texts = useTexts.value
  const title = useId()
  return (
    <section class="body stack s2 addresses" aria-labelledby={title}>
      <h3 id={title}>{texts.addresses}</h3>
      <p class="small dim">
        {texts.layerThere} <code dir="auto">{layer.id}</code>
      </p>
      <ul class="stack s2">
        {servicesOf(layer).map(({ name, address }) => (
          <li key={name}>
            <span>
              <b>{name}</b> <span class="small dim">{texts.services[name]}</span>
            </span>
            <code class="mono">{address}</code>
            <button
              type="button"
              class="btn quiet ic sm"
              aria-label={texts.copyAddress(name)}
              title={texts.copyAddress(name)}
              onClick={() => void copyText(address)}
            >
              <Icon name="copy" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
