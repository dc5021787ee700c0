import { authorizedPayment, type Service } from '../support/http-service.ts'

type Make = (method: string, template: string, path: string, body?: object) => Promise<void>

/** Requests everything merchants can see of their callbacks. */
export const walkCallbackSide = async (service: Service, make: Make): Promise<void> => {
  const { admin } = service
  const secret = '/merchant/v1/callback_secret/'
  for (const method of ['GET', 'POST']) await make(method, secret, secret)
  const callbacks = '/merchant/v1/callback/'
  await make('GET', callbacks, callbacks)
  await make('GET', `${callbacks}feed/`, `${callbacks}feed/`)
  const [told] = (await admin('GET', callbacks)).body.uris
  await make('GET', `${callbacks}{callback_id}/`, told)
  const addressed = await authorizedPayment(service, { callback_uri: 'http://127.0.0.1:1/' })
  const [sent] = (await admin('GET', `${callbacks}?resource=${addressed}`)).body.uris
  await make('POST', `${callbacks}{callback_id}/retry/`, `${sent}retry/`)
  const destinations = '/merchant/v1/event_destination/'
  const one = `${destinations}{event_destination_id}/`
  const uri = 'http://127.0.0.1:1/'
  await make('POST', destinations, destinations, { id: 'books', uri })
  await make('GET', destinations, destinations)
  await make('GET', one, `${destinations}books/`)
  await make('GET', '/merchant/v1/callback_address/', '/merchant/v1/callback_address/')
  await make('PUT', one, `${destinations}books/`, { events: ['report_closed'] })
  const since = '2020-01-01 00:00:00'
  await make('POST', `${one}replay/`, `${destinations}books/replay/`, { since })
  await make('POST', `${one}secret/`, `${destinations}books/secret/`)
  await make('DELETE', one, `${destinations}books/`)
}
