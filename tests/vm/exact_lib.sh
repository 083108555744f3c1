# exact_lib.sh - for the tests of xdpzoom exact; read after tests/rig/lib.sh

# placeless REPORT: functions of a run's report in JSON without a place. Each function of more than one percent of a packet
# belongs to a component, and those of a page pool not to the driver's; tests/golden/paths.sh holds recorded paths to the same.
placeless() {
	jq -r '.variants[] | . as $v | .symbols[] | select((.component == "rest" and .instructions * 100 > $v.instructions) or
		(.component == "driver RX" and (.name | test("^_*page_pool_")))) | "\($v.id) \(.name): \(.component) \(.instructions)"' "$1"
}
