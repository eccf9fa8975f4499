export default {
  input: 'openapi.json',
  output: { path: 'hey-api', module: { extension: '.js' } },
  logs: { level: 'silent', file: false },
  plugins: [
    '@hey-api/client-fetch',
    { name: '@hey-api/sdk', transformer: true },
    // An integer of 64 bits is a bigint.
    { name: '@hey-api/transformers', bigInt: true },
  ],
};
