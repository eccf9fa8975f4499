<?php

declare(strict_types=1);

/** @return array{int, string, int} status (0: no answer), text, and how many seconds to wait */
function attempt(string $campaign, string $address, string $request): array
{
    $base = rtrim(trim(getenv('CAMPAIGN_MIRROR_URL') ?: '') ?: 'http://127.0.0.1:3000', '/');
    $call = curl_init("$base/public/v1/mirror/campaign/$campaign/mirror");
    curl_setopt_array($call, [
        CURLOPT_POSTFIELDS => json_encode(['mirror_endpoint' => $address], JSON_THROW_ON_ERROR),
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . trim(getenv('CAMPAIGN_MIRROR_KEY') ?: ''),
            'Content-Type: application/json',
            "X-Request-Id: $request",
        ],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 40,
    ]);
    $text = curl_exec($call);
    if ($text === false) {
        return [0, curl_error($call), 1];
    }
    return [curl_getinfo($call, CURLINFO_RESPONSE_CODE), $text, curl_getinfo($call, CURLINFO_RETRY_AFTER) ?: 1];
}

/** Sets the mirror of a campaign. Throws when it is refused, or when four attempts came to nothing. */
function setMirror(string $campaign, string $address): array
{
    $key = trim(getenv('CAMPAIGN_MIRROR_KEY') ?: '');
    if ($key === '') {
        throw new RuntimeException('CAMPAIGN_MIRROR_KEY is not set');
    }
    if (preg_match('/[^!-~]/', $key)) {
        throw new RuntimeException('CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it');
    }
    $request = bin2hex(random_bytes(16));
    for ($attempts = 1; ; $attempts++) {
        [$status, $text, $wait] = attempt($campaign, $address, $request);
        if ($status === 200) {
            return json_decode($text, true, flags: JSON_THROW_ON_ERROR)['mirror'];
        }
        if (!in_array($status, [0, 408, 429, 503], true) || $wait > 60 || $attempts === 4) {
            throw new RuntimeException("$status $text (request $request)");
        }
        usleep((int) (($wait + lcg_value() * $attempts) * 1_000_000));
    }
}

try {
    if ($argc !== 3) {
        throw new RuntimeException('usage: CAMPAIGN_MIRROR_KEY=cm_... php set-mirror.php CAMPAIGN ADDRESS');
    }
    echo json_encode(setMirror($argv[1], $argv[2]), JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES), "\n";
} catch (RuntimeException | JsonException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
