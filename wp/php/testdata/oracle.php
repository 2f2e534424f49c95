<?php
// Reads quoted inputs, one a line, and prints each with what PHP makes of it, in the notation of dump in
// unserialize_test.go:
//     cut -f1 testdata/php82.txt | php testdata/oracle.php >new
function quote(string $s): string {
    return '"' . addcslashes($s, "\0..\37\"\\\177..\377") . '"';
}
function dump(mixed $v): string {
    if (is_object($v)) {
        $props = (array) $v;
        $class = get_class($v);
        if ($class === '__PHP_Incomplete_Class') {
            $class = $props['__PHP_Incomplete_Class_Name'];
            unset($props['__PHP_Incomplete_Class_Name']);
        }
        $out = [];
        foreach ($props as $k => $e) {
            $out[] = quote((string) $k) . ':' . dump($e);
        }
        return $class . '{' . implode(',', $out) . '}';
    }
    if (is_array($v)) {
        $out = [];
        foreach ($v as $k => $e) {
            $out[] = (is_int($k) ? $k : quote($k)) . ':' . dump($e);
        }
        return '[' . implode(',', $out) . ']';
    }
    if (is_string($v)) {
        return quote($v);
    }
    if (is_float($v)) {
        return "float($v)";
    }
    return match ($v) { null => 'null', true => 'true', false => 'false', default => (string) $v };
}
set_error_handler(fn() => true);
while (($line = fgets(STDIN)) !== false) {
    $line = rtrim($line, "\n");
    $input = stripcslashes(substr($line, 1, -1));
    $v = unserialize($input, ['allowed_classes' => ['stdClass']]);
    echo $line, "\t", $v === false && !str_starts_with($input, 'b:0;') ? 'error' : dump($v), "\n";
}
